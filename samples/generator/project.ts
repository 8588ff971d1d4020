import { rm, writeFile as writeText } from 'node:fs/promises';
import { join } from 'node:path';
import type { Compression } from './compression.ts';
import { bundleOf, resourceMakers } from './fhir/resources.ts';
import { copyNumberLines, expressionLines, fusionLines } from './omic.ts';
import { type Person, personOf, sampleOf } from './people.ts';
import { SampleReads } from './reads/sample-reads.ts';
import { writeFile, writeTextFile } from './text-file.ts';
import { type VcfTally, vcfLines } from './vcf.ts';

/** Parameters of a sample project. */
export interface ProjectOptions {
  /** Patients, each with one sequenced sample. */
  patients: number;
  /** VCF records of all files together. */
  variants: number;
  seed: number;
  /** Samples in each VCF. Absent: of every twenty patients twelve have a file of their own and eight share one. */
  samplesPerVcf?: number;
  /** Pack every file; otherwise only the observations and the VCFs of several samples are. */
  gzip: boolean;
}

/**
 * One file in `manifest.json`: `count` is resources, records, rows, reads or sequences, `rows` the rows of a VCF in the table
 * `variant`.
 */
export interface ManifestFile {
  path: string;
  kind: 'fhir' | 'vcf' | 'bam' | 'fasta' | 'copynumber' | 'fusion' | 'expression';
  bytes: number;
  sha256: string;
  count: number;
  rows?: number;
}

/** The contents of `manifest.json`. */
export interface Manifest {
  options: ProjectOptions;
  files: ManifestFile[];
}

/** The project that is checked in. */
export const sampleProject: ProjectOptions = { patients: 20, variants: 2_000, seed: 20240501, gzip: false };

/** Patient of every project that is written as a Bundle, the others in files by resource type. */
const bundlePatient = 6;

/** Patients of the default layout that share a file: the last eight of every twenty. */
const layoutPeriod = 20;
const aloneInPeriod = 12;

/** Divides the samples among VCFs, as ranges of patient numbers. */
export function vcfLayout({ patients, samplesPerVcf }: ProjectOptions): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (let from = 0; from < patients; ) {
    const inPeriod = from % layoutPeriod;
    const length = samplesPerVcf ?? (inPeriod < aloneInPeriod ? 1 : layoutPeriod - inPeriod);
    ranges.push([from, Math.min(patients, from + length)]);
    from += length;
  }
  return ranges;
}

function* people(options: ProjectOptions, from: number, to: number): Generator<Person> {
  for (let index = from; index < to; index += 1) yield personOf(options.seed, index);
}

async function writeFhir(folder: string, options: ProjectOptions): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  const bundled = Math.min(bundlePatient, options.patients - 1);
  const write = async (
    name: string,
    compression: Compression,
    lines: (count: () => void) => Iterable<string>,
  ) => {
    const path = `fhir/${name}${compression === 'none' ? '' : '.gz'}`;
    let count = 0;
    const made = lines(() => {
      count += 1;
    });
    const written = await writeTextFile(join(folder, path), made, compression);
    // Few patients may have no resource of a type, and an empty file would say nothing.
    if (count > 0) files.push({ path, kind: 'fhir', ...written, count });
    else await rm(join(folder, path));
  };
  for (const [type, make] of Object.entries(resourceMakers)) {
    const compression = options.gzip || type === 'Observation' ? 'gzip' : 'none';
    await write(`${type}.ndjson`, compression, function* (count) {
      for (const person of people(options, 0, options.patients)) {
        if (person.index === bundled) continue;
        for (const resource of make(person)) {
          count();
          yield `${JSON.stringify(resource)}\n`;
        }
      }
    });
  }
  const person = personOf(options.seed, bundled);
  await write(`${person.id}.bundle.json`, options.gzip ? 'gzip' : 'none', function* (count) {
    for (const make of Object.values(resourceMakers)) make(person).forEach(count);
    yield `${JSON.stringify(bundleOf(person), undefined, 1)}\n`;
  });
  return files;
}

/** Returns the VCFs, and the reads of the first sample with their reference. */
async function writeGenomes(folder: string, options: ProjectOptions): Promise<ManifestFile[]> {
  const reads = new SampleReads(options.seed, sampleOf(personOf(options.seed, 0)));
  return [...(await writeVcfs(folder, options, reads)), ...(await writeReads(folder, options, reads))];
}

async function writeVcfs(
  folder: string,
  options: ProjectOptions,
  reads: SampleReads,
): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  for (const [from, to] of vcfLayout(options)) {
    const samples = [...people(options, from, to)].map(sampleOf);
    const [first] = samples;
    const isShared = samples.length > 1;
    const compression = options.gzip || isShared ? 'bgzf' : 'none';
    const name = isShared ? `${first?.name}-${samples.at(-1)?.name}` : first?.name;
    const path = `vcf/${name}.vcf${compression === 'none' ? '' : '.gz'}`;
    const tally: VcfTally = { records: 0, rows: 0 };
    // A file with more samples gets more records: the shares up to this file less those up to the one before.
    const upTo = (patients: number): number => Math.floor((patients * options.variants) / options.patients);
    const records = upTo(to) - upTo(from);
    const plan = { seed: options.seed, samples, records, carrierRate: 0.3 };
    const lines = from === 0 ? reads.seen(vcfLines(plan, tally)) : vcfLines(plan, tally);
    const written = await writeTextFile(join(folder, path), lines, compression);
    files.push({ path, kind: 'vcf', ...written, count: tally.records, rows: tally.rows });
  }
  return files;
}

async function writeReads(
  folder: string,
  options: ProjectOptions,
  reads: SampleReads,
): Promise<ManifestFile[]> {
  const bam = { path: `bam/${reads.sample.name}.bam`, kind: 'bam' } as const;
  const fasta = { path: `fasta/regions.fa${options.gzip ? '.gz' : ''}`, kind: 'fasta' } as const;
  const writtenBam = await writeFile(join(folder, bam.path), reads.bam(), 'bgzf');
  const compression: Compression = options.gzip ? 'gzip' : 'none';
  const writtenFasta = await writeTextFile(join(folder, fasta.path), reads.fasta(), compression);
  return [
    { ...bam, ...writtenBam, count: reads.count },
    { ...fasta, ...writtenFasta, count: reads.regions.length },
  ];
}

/** One table a kind, of all samples. */
const omicTables = { copynumber: copyNumberLines, fusion: fusionLines, expression: expressionLines } as const;

async function writeOmic(folder: string, options: ProjectOptions): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  const compression: Compression = options.gzip ? 'gzip' : 'none';
  for (const [name, lines] of Object.entries(omicTables)) {
    const path = `omic/${name}.csv${options.gzip ? '.gz' : ''}`;
    let count = 0;
    const made = lines(people(options, 0, options.patients), () => {
      count += 1;
    });
    const written = await writeTextFile(join(folder, path), made, compression);
    // Few people may have no fusion among them.
    if (count > 0) files.push({ path, kind: name as keyof typeof omicTables, ...written, count });
    else await rm(join(folder, path));
  }
  return files;
}

/** Writes the project into the folder; the manifest is last, so that a folder with a manifest is complete. */
export async function writeProject(folder: string, options: ProjectOptions): Promise<Manifest> {
  await rm(join(folder, 'manifest.json'), { force: true });
  const files = [
    ...(await writeFhir(folder, options)),
    ...(await writeGenomes(folder, options)),
    ...(await writeOmic(folder, options)),
  ];
  const manifest: Manifest = { options, files };
  await writeText(join(folder, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}
