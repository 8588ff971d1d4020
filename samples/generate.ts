/**
 * Makes the sample project: `node samples/generate.ts [--patients N] [--variants N] [--out folder] [--seed N]
 * [--samples-per-vcf N] [--gzip]`. Without options it makes again what is checked in under samples/data.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Manifest, type ProjectOptions, sampleProject, writeProject } from './generator/project.ts';

const { values } = parseArgs({
  options: {
    patients: { type: 'string' },
    variants: { type: 'string' },
    out: { type: 'string' },
    seed: { type: 'string' },
    'samples-per-vcf': { type: 'string' },
    gzip: { type: 'boolean', default: false },
  },
});

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

function whole(
  name: 'patients' | 'variants' | 'seed' | 'samples-per-vcf',
  least: number,
  most: number,
): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) {
    fail(`--${name} takes a whole number from ${least} to ${most}, not "${text}".`);
  }
  return number;
}

function options(): ProjectOptions {
  const samplesPerVcf = whole('samples-per-vcf', 1, 10_000);
  return {
    patients: whole('patients', 1, 1_000_000) ?? sampleProject.patients,
    variants: whole('variants', 0, 1_000_000_000) ?? sampleProject.variants,
    seed: whole('seed', 0, 2 ** 32 - 1) ?? sampleProject.seed,
    ...(samplesPerVcf === undefined ? {} : { samplesPerVcf }),
    gzip: values.gzip,
  };
}

/** Removes what an earlier run left in the folder; a folder with anything else in it is not ours to write to. */
async function clear(folder: string): Promise<void> {
  if (!existsSync(folder) || (await readdir(folder)).length === 0) return;
  const files = await ownFiles(join(folder, 'manifest.json'));
  if (files === undefined) {
    fail(`${folder} is not empty and holds no sample project: name another folder with --out.`);
  }
  for (const path of files) await rm(join(folder, path), { force: true });
}

/** Lists the files of a manifest of this generator; empty for any other manifest. */
async function ownFiles(manifestPath: string): Promise<string[] | undefined> {
  if (!existsSync(manifestPath)) return undefined;
  const text = await readFile(manifestPath, 'utf8');
  if (!text.startsWith('{\n  "options": {')) return undefined;
  const { files }: Manifest = JSON.parse(text);
  return files.map(({ path }) => path).filter((path) => /^(bam|fasta|fhir|vcf|omic)\/\w[\w.-]*$/.test(path));
}

const wanted = options();
const isSample = JSON.stringify(wanted) === JSON.stringify(sampleProject);
if (values.out === undefined && !isSample)
  fail('Name a folder with --out: samples/data is for the project without options.');
const folder = resolve(values.out ?? join(import.meta.dirname, 'data'));
await clear(folder);
const { files } = await writeProject(folder, wanted);
const sum = (kind: string): number =>
  files.filter((file) => file.kind === kind).reduce((total, { count }) => total + count, 0);
const megabytes = files.reduce((total, { bytes }) => total + bytes, 0) / 1e6;
process.stdout.write(
  `${folder}: ${files.length} files, ${megabytes.toFixed(1)} MB, ${sum('fhir')} FHIR resources, ${sum('vcf')} VCF records\n`,
);
