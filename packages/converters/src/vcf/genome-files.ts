import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversionTask, Sql, TaskGenome } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import {
  chromosomeName,
  type Genome,
  type GenomeBuild,
  PlacedTranscripts,
  readTranscript,
} from '@ploidy/formats';

/** Stretch of a chromosome among the stored bases. Plain data, which is sent to threads. */
interface StoredStretch {
  path: string;
  /** First base of the stretch on its chromosome, from 1. */
  start: number;
  length: number;
  /** Place of its first base in the file. */
  offset: number;
}

/** Gene models and bases as files. Plain data, which is sent to threads. */
export interface GenomeFiles {
  /** Name of the gene models. */
  name: string;
  /** Transcripts as lines, chromosome after chromosome. */
  modelsPath: string;
  /** Range of the lines of each chromosome. */
  chromosomes: ReadonlyMap<string, { offset: number; size: number }>;
  stretches: ReadonlyMap<string, readonly StoredStretch[]>;
}

/** Chooses the newest genome that a file of a build can be on. Unknown builds fit all. */
export function fittingGenome(
  { genomes = [] }: ConversionTask,
  build: GenomeBuild | undefined,
): TaskGenome | undefined {
  return genomes.find(
    ({ genomeBuild }) => build === undefined || genomeBuild === undefined || genomeBuild === build,
  );
}

/** Writes the transcripts of a genome as lines, which threads read by chromosome. */
export async function genomeFiles(
  { name, modelsPath, references }: TaskGenome,
  outputFolder: string,
  sql: Sql,
): Promise<GenomeFiles> {
  const path = join(outputFolder, 'gene-models.txt');
  const models = `read_parquet(${literal(modelsPath)})`;
  const order = 'ORDER BY chromosome, start_position, transcript_id';
  await sql.run(
    `COPY (SELECT model FROM ${models} ${order}) TO ${literal(path)} (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\t')`,
  );
  const sizes = await sql.rows(
    `SELECT chromosome, sum(strlen(model) + 1)::DOUBLE AS size FROM ${models} GROUP BY chromosome ORDER BY chromosome`,
  );
  let offset = 0;
  const chromosomes = new Map<string, { offset: number; size: number }>();
  for (const row of sizes) {
    const size = Number(row['size']);
    chromosomes.set(String(row['chromosome']), { offset, size });
    offset += size;
  }
  const stretches = new Map<string, StoredStretch[]>();
  for (const { basesPath, sequences } of references)
    for (const { name: title, length, offset: at } of sequences) {
      const [chromosome, start] = placeOf(title, length);
      const known = stretches.get(chromosome) ?? [];
      stretches.set(chromosome, [...known, { path: basesPath, start, length, offset: at }]);
    }
  return { name, modelsPath: path, chromosomes, stretches };
}

/** Reads a name such as `chr7` or, of a part of it, `chr7:140752836-140753836` (samtools faidx). */
function placeOf(title: string, length: number): [chromosome: string, start: number] {
  const [, name = '', start = '', end = ''] = /^(.+):(\d+)-(\d+)$/.exec(title) ?? [];
  const isPart = name !== '' && Number(end) - Number(start) + 1 === length;
  return isPart ? [chromosomeName(name), Number(start)] : [chromosomeName(title), 1];
}

/** Chromosomes whose transcripts are kept: a stretch of a file has one, or the end of one and the beginning of the next. */
const chromosomesMax = 2;

/** Opens the files of a genome in a thread. Reads are synchronous: mapping waits for each. */
export function openGenome({ modelsPath, chromosomes, stretches }: GenomeFiles): Genome {
  const placed = new Map<string, PlacedTranscripts>();
  const bases = new StoredBases(stretches);
  return {
    bases: { read: (chromosome, start, end) => bases.read(chromosome, start, end) },
    transcripts: (chromosome) => {
      const known = placed.get(chromosome);
      const range = chromosomes.get(chromosome);
      if (known || !range) return known;
      if (placed.size >= chromosomesMax) placed.delete(placed.keys().next().value ?? '');
      const text = readRange(modelsPath, range.offset, range.size).toString('utf8');
      const lines = text.split('\n').filter((line) => line !== '');
      const made = new PlacedTranscripts(lines.map((line) => readTranscript(chromosome, line)));
      placed.set(chromosome, made);
      return made;
    },
  };
}

/** Reads a range of a file, cut at its end. */
function readRange(path: string, offset: number, size: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, readSync(file, bytes, 0, size, offset));
  } finally {
    closeSync(file);
  }
}

const pageBytes = 1 << 16;
const pagesMax = 256;

/** Bases of files, by pages of which the last read are kept. */
class StoredBases {
  readonly #stretches: GenomeFiles['stretches'];
  readonly #pages = new Map<string, Buffer>();
  #lastPath = '';
  #lastNumber = -1;
  #lastPage: Buffer = Buffer.alloc(0);

  constructor(stretches: GenomeFiles['stretches']) {
    this.#stretches = stretches;
  }

  read(chromosome: string, start: number, end: number): string | undefined {
    const stretch = this.#stretches
      .get(chromosome)
      ?.find((one) => start >= one.start && start < one.start + one.length);
    if (!stretch) return undefined;
    const from = stretch.offset + start - stretch.start;
    const to = Math.min(stretch.offset + stretch.length, from + end - start + 1);
    let text = '';
    for (let at = from; at < to; ) {
      const number = Math.floor(at / pageBytes);
      const inPage = at - number * pageBytes;
      const stop = Math.min(pageBytes, inPage + to - at);
      text += this.#page(stretch.path, number).toString('latin1', inPage, stop);
      at += stop - inPage;
    }
    return text;
  }

  #page(path: string, number: number): Buffer {
    if (number === this.#lastNumber && path === this.#lastPath) return this.#lastPage;
    const key = `${number} ${path}`;
    let page = this.#pages.get(key);
    if (page) this.#pages.delete(key);
    else {
      page = readRange(path, number * pageBytes, pageBytes);
      if (this.#pages.size >= pagesMax) this.#pages.delete(this.#pages.keys().next().value ?? '');
    }
    this.#pages.set(key, page);
    this.#lastPath = path;
    this.#lastNumber = number;
    this.#lastPage = page;
    return page;
  }
}
