/** Contents of a release: the bill of materials (CycloneDX), and the licences with their texts. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { commitOf } from '../packages/cli/src/build.ts';
import { consoleFolder, madeAt, npm, readManifest, root } from './build.ts';

interface Component {
  'bom-ref'?: string;
  type?: string;
  name: string;
  version: string;
  purl?: string;
  externalReferences?: { type: string; url: string }[];
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
  properties?: { name: string; value: string }[];
}

export interface Bill {
  bomFormat: string;
  specVersion: string;
  serialNumber?: string;
  metadata: { timestamp?: string; component: Component & { 'bom-ref': string; purl: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** A package whose code is in the files of the console, as its bundler lists it. */
interface Bundled {
  name: string;
  version: string;
  /** SPDX expression. */
  identifier: string;
  text: string | null;
}

export function bundled(): Bundled[] {
  return JSON.parse(readFileSync(join(consoleFolder, 'licenses.json'), 'utf8'));
}

/**
 * Lists every package of a release's lock file, on any platform, with digests and licences, and those in the console. The lock
 * file of the project does not serve: npm leaves out packages that development needs as well.
 */
export function billOfMaterials(release: string): Bill {
  const text = npm('sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--prefix', release);
  const bill = JSON.parse(text) as Bill;
  // npm reads the name from the folder.
  bill.metadata.component.name = readManifest(root).name;
  bill.metadata.component.type = 'application';
  const { commit } = commitOf(root);
  if (commit !== undefined) bill.metadata.component.properties = [{ name: 'ploidy:commit', value: commit }];
  // The archives are beside the bill; the place of packing is private.
  for (const reference of bill.components.flatMap(({ externalReferences = [] }) => externalReferences))
    if (reference.url.startsWith('file:')) reference.url = `file:${basename(reference.url)}`;
  const console = bill.dependencies.find(({ ref }) => ref.startsWith('@ploidy/console@'));
  if (!console) throw new Error('The bill of materials lists no console.');
  const listed = new Set(bill.components.map(keyOf));
  for (const one of bundled()) {
    console.dependsOn.push(keyOf(one));
    if (!listed.has(keyOf(one))) bill.components.push(componentOf(one));
  }
  return named(bill);
}

/** Gives a bill the date of its commit and a number of its content, instead of those of the run. */
function named(bill: Bill): Bill {
  bill.metadata.timestamp = madeAt().toISOString();
  delete bill.serialNumber;
  const digest = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  // A UUID of version 8, whose bits are the maker's own (RFC 9562).
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5');
  return { ...bill, serialNumber: `urn:uuid:${uuid}` };
}

function componentOf({ name, version, identifier }: Bundled): Component {
  return {
    'bom-ref': keyOf({ name, version }),
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ expression: identifier }],
  };
}

/** Names and licences of all components, then the text of each licence file that is installed here. */
export function licences({ components }: Bill): string {
  const sorted = components.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const list = sorted.map((component) => `${keyOf(component)}  ${licenceOf(component)}\n`);
  const textsOfBundled = new Map(bundled().map((one) => [keyOf(one), one.text?.trim()]));
  const texts = new Map<string, string[]>();
  for (const component of sorted) {
    const text = textsOfBundled.get(keyOf(component)) ?? licenceText(component);
    if (text !== undefined) texts.set(text, [...(texts.get(text) ?? []), keyOf(component)]);
  }
  const parts = [...texts].map(([text, names]) => `${'='.repeat(78)}\n${names.join(', ')}\n\n${text}\n`);
  return `${list.join('')}\n${parts.join('\n')}`;
}

const keyOf = ({ name, version }: Pick<Component, 'name' | 'version'>): string => `${name}@${version}`;

/** Returns the licence of a component as an SPDX expression; empty when the bill has none. */
export function licenceOf({ licenses = [] }: Component): string {
  return licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression).join(' AND ');
}

/** Returns the licence text in the folder of an installed package. Packages of other platforms are not installed. */
function licenceText({ name, properties = [] }: Component): string | undefined {
  const path = properties.find((one) => one.name === 'cdx:npm:package:path')?.value ?? `node_modules/${name}`;
  const folder = join(root, path);
  if (!existsSync(folder)) return undefined;
  const file = readdirSync(folder).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').trim();
}
