/** The published packages work outside of the repository: installed from their archives, their READMEs' examples run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Build, commitOf } from '../../packages/cli/src/build.ts';
import { packages, readManifest, root } from '../../release/build.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Folder, installed, packed, runIn } from './installed.ts';

/** Oldest Node that the libraries and the command line claim, as a package. */
const oldNode = `node-${process.platform}-${process.arch}@22.23.3`;
const libraries = ['policy', 'statistics', 'formats', 'client', 'cli'];

let release: Folder;
let small: Folder;
let service: Folder;
let server: TestServer;

before(async () => {
  release = packed();
  small = installed(release.folder, libraries, [oldNode]);
  service = installed(release.folder, [...packages]);
  server = await startServer({ program: commandIn(service.folder, 'server') });
});
after(async () => {
  await server.stop();
  service.remove();
  small.remove();
  release.remove();
});

function commandIn(folder: string, name: string): string {
  return join(folder, 'node_modules/@ploidy', name, 'bin/ploidy.js');
}

/** Runs the command line of a folder against the service. */
function ploidy(folder: string, node: string, ...words: string[]): string {
  const { baseUrl, apiKey, account } = server;
  const env = { PLOIDY_ADDRESS: baseUrl, PLOIDY_API_KEY: apiKey, PLOIDY_ACCOUNT: account };
  return runIn(folder, node, [commandIn(folder, 'cli'), ...words], { env });
}

for (const [version, nodeIn] of [
  ['Node 22', (folder: string) => join(folder, 'node_modules/.bin/node')],
  ['Node 26', () => process.execPath],
] as const) {
  for (const name of ['policy', 'statistics', 'formats', 'client']) {
    test(`the example in the README of @ploidy/${name} runs on ${version}`, () => {
      const readme = readFileSync(join(small.folder, `node_modules/@ploidy/${name}/README.md`), 'utf8');
      const [, code = ''] = /```(?:js|ts)\n([\s\S]*?)```/.exec(readme) ?? [];
      assert.notEqual(code, '');
      // Names of projects are unique in the account.
      writeFileSync(join(small.folder, 'example.js'), code.replace('By the client', `By ${version}`));
      const data = 'samples/data/fhir';
      mkdirSync(join(small.folder, data), { recursive: true });
      for (const path of ['patients.ndjson', `${data}/Patient.ndjson`])
        copyFileSync(join(root, data, 'Patient.ndjson'), join(small.folder, path));
      const { baseUrl, apiKey, account } = server;
      const env = { PLOIDY_ADDRESS: baseUrl, PLOIDY_API_KEY: apiKey, PLOIDY_ACCOUNT: account };
      assert.notEqual(runIn(small.folder, nodeIn(small.folder), ['example.js'], { env }), '');
    });
  }

  test(`the command line alone uploads, ingests and queries on ${version}`, () => {
    const node = nodeIn(small.folder);
    const project = `Laptop ${version}`;
    ploidy(small.folder, node, 'projects', 'create', project);
    const patients = join(root, 'samples/data/fhir/Patient.ndjson');
    ploidy(small.folder, node, 'files', 'put', patients, '--project', project, '--ingest');
    const rows = ploidy(
      small.folder,
      node,
      'query',
      'select count(*) as n, max(patient_id) as id from patient',
      '--project',
      project,
    );
    assert.match(rows, /^n,id\n\d+,syn-\d+\n$/);
    const [first] = ploidy(small.folder, node, '--version').split(' (');
    assert.equal(first, readManifest(root).version);
  });
}

test('the command line holds neither database nor server, and names the package that has the service', () => {
  const names = readdirSync(join(small.folder, 'node_modules'), { withFileTypes: true })
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.') && !name.startsWith('node-'));
  assert.deepEqual(names, ['@ploidy', 'commander', 'openapi-fetch', 'openapi-typescript-helpers', 'yaml']);
  const { status, stderr } = spawnSync(process.execPath, [commandIn(small.folder, 'cli'), 'serve'], {
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /npm install @ploidy\/server/);
});

test('an installed service serves its console and its version', async () => {
  const page = await fetch(server.baseUrl, { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /<title>[^<]*Ploidy/);
  const build = (await (await fetch(`${server.baseUrl}/v1/version`)).json()) as Build;
  assert.deepEqual(
    { ...build, builtAt: undefined },
    { version: readManifest(root).version, ...commitOf(root), builtAt: undefined },
  );
  assert.ok(Date.parse(build.builtAt ?? '') <= Date.now(), 'a release knows when its commit was made');
});

test('the types of the libraries satisfy a strict compiler without skipped checks', () => {
  const code = `
    import { PloidyClient, type Project } from '@ploidy/client';
    import type { paths } from '@ploidy/client/api';
    import { tables } from '@ploidy/formats/tables';
    import { compilePolicy, type Policy } from '@ploidy/policy';
    const policy: Policy = { rules: { readData: true } };
    const client = new PloidyClient({ address: 'http://127.0.0.1', apiKey: '', account: '' });
    export const project = (name: string): Promise<Project> => client.createProject(name);
    export type Paths = keyof paths;
    export const allowed: boolean = compilePolicy(policy).allows('readData', {});
    export const names: string[] = [...tables.keys()];
  `;
  writeFileSync(join(small.folder, 'example.ts'), code);
  const options = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--module',
    'nodenext',
    '--target',
    'es2024',
  ];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...options, ...types, 'example.ts'], {
    cwd: small.folder,
    encoding: 'utf8',
  });
  assert.equal(stdout, '');
  assert.equal(status, 0);
});
