/** Inputs of the benchmarks: made once by the sample generator, kept in a cache folder, the same bytes on every machine. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Compression } from '../samples/generator/compression.ts';
import { resourceMakers } from '../samples/generator/fhir/resources.ts';
import { personOf } from '../samples/generator/people.ts';
import { writeTextFile } from '../samples/generator/text-file.ts';
import { type VcfTally, vcfLines } from '../samples/generator/vcf.ts';
import { sampleName } from './people.ts';

const seed = 1;

/** Changes with the generator's source, so that files of an older generator are never taken for those of this one. */
function generatorHash(): string {
  const folder = join(import.meta.dirname, '../samples/generator');
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.endsWith('.ts')) hash.update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 12);
}

interface Kept {
  path: string;
  bytes: number;
  count: number;
}

/** Reads the note beside a file, if the file has the noted length. */
function kept(path: string): Kept | undefined {
  const note = statSync(`${path}.json`, { throwIfNoEntry: false });
  const file = statSync(path, { throwIfNoEntry: false });
  if (note === undefined || file === undefined) return undefined;
  const content: Kept = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
  return content.bytes === file.size ? { ...content, path } : undefined;
}

/** Takes the file from the cache or makes it: under another name first, its note last, so that half a file is never used. */
export async function cached(
  name: string,
  compression: Compression,
  make: () => { lines: Iterable<string>; count: () => number },
): Promise<Kept> {
  const folder = join(tmpdir(), 'ploidy-bench', generatorHash());
  const path = join(folder, name);
  const found = kept(path);
  if (found !== undefined) return found;
  await mkdir(folder, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  try {
    const { lines, count } = make();
    const { bytes } = await writeTextFile(unfinished, lines, compression);
    await rename(unfinished, path);
    const made: Kept = { path, bytes, count: count() };
    await writeFile(`${unfinished}.json`, JSON.stringify(made));
    await rename(`${unfinished}.json`, `${path}.json`);
    return made;
  } finally {
    await rm(unfinished, { force: true });
    await rm(`${unfinished}.json`, { force: true });
  }
}

/**
 * Makes an annotated VCF (BGZF when `gzip`). `expectedRows`: rows of the table `variant`, sample × allele × gene.
 */
export async function vcfBenchFile(options: {
  records: number;
  samples: number;
  gzip: boolean;
}): Promise<{ path: string; expectedRows: number }> {
  const { records, samples, gzip } = options;
  const name = `${records}x${samples}.vcf${gzip ? '.gz' : ''}`;
  const { path, count } = await cached(name, gzip ? 'bgzf' : 'none', () => {
    const tally: VcfTally = { records: 0, rows: 0 };
    const columns = Array.from({ length: samples }, (_, index) => ({
      name: sampleName(index),
      isMale: index % 2 === 0,
      known: new Map(),
    }));
    return {
      lines: vcfLines({ seed, samples: columns, records, carrierRate: 0.316 }, tally),
      count: () => tally.rows,
    };
  });
  return { path, expectedRows: count };
}

function* resourceLines(wanted: number, type: string | undefined): Generator<string> {
  let made = 0;
  for (let index = 0; made < wanted; index += 1) {
    const person = personOf(seed, index);
    for (const make of Object.values(resourceMakers)) {
      for (const resource of make(person)) {
        if (type !== undefined && resource.resourceType !== type) continue;
        if (made === wanted) return;
        made += 1;
        yield `${JSON.stringify(resource)}\n`;
      }
    }
  }
}

/** NDJSON with all resource types, patient by patient; about four of five resources are observations. With `type`: of that type only. */
export async function fhirBenchFile(options: {
  resources: number;
  type?: string;
}): Promise<{ path: string; resources: number }> {
  const { resources, type } = options;
  const lines = (): { lines: Iterable<string>; count: () => number } => ({
    lines: resourceLines(resources, type),
    count: () => resources,
  });
  const { path } = await cached(`${resources}${type ?? ''}.ndjson`, 'none', lines);
  return { path, resources };
}
