/** Runs conversions for the tests of this folder. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '@ploidy/formats';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import type {
  ConversionOptions,
  ConversionTask,
  Convert,
  ConvertedTable,
  Sql,
  Warning,
} from '../../../engine/src/conversion.ts';
import { boundsIn, boundsOf } from '../../../engine/src/task-runtime/bounds.ts';
import { foundIn } from '../../../engine/src/task-runtime/found.ts';
import { convertAnnotation } from '../annotation/convert-annotation.ts';
import { requireWithin } from '../tables/account.fixture.ts';
import { convertVcf } from './convert.ts';
import type { StretchPlan } from './stretches/stretch-plan.ts';

export type Row = Record<string, unknown>;

export interface Conversion {
  tables: ConvertedTable[];
  /** Rows of `variant`, in file order. */
  variants: Row[];
  /** Rows of `variant_call`, in file order. */
  calls: Row[];
  sequences: Row[];
  copies: Row[];
  fusions: Row[];
  alterations: Row[];
  /** Rows of `sample_profile`. */
  profiles: Row[];
  warnings: Warning[];
  account: Account | undefined;
  progress: [bytes: number, rows: number][];
}

const setId = 'set';

/** Converts a file in a folder of its own, which is removed afterwards. */
export async function convertFile(
  sourcePath: string,
  options: ConversionOptions = {},
  memoryMaxBytes = 256 << 20,
  plan?: StretchPlan,
  genomes: ConversionTask['genomes'] = [],
): Promise<Conversion> {
  const convert: Convert = (task, sql, report) => convertVcf(task, sql, report, plan);
  return inEngine(
    { type: 'vcf', sourcePath, options, genomes },
    convert,
    memoryMaxBytes,
    async (made, rowsOf) => ({
      ...made,
      variants: await rowsOf('variant'),
      calls: await rowsOf('variant_call'),
      sequences: await rowsOf('sequence'),
      copies: await rowsOf('copynumber'),
      fusions: await rowsOf('fusion'),
      alterations: await rowsOf('alteration'),
      profiles: await rowsOf('sample_profile'),
    }),
  );
}

/** Rows of an annotation file, in the order of the genome. */
export interface Annotations extends Pick<Conversion, 'warnings' | 'account'> {
  rows: Row[];
  genomeBuild: string | undefined;
}

/** Converts an annotation file. */
export async function annotationsOf(
  sourcePath: string,
  options: ConversionOptions = {},
  genomes: ConversionTask['genomes'] = [],
): Promise<Annotations> {
  const given = { type: 'annotation', sourcePath, options, genomes } as const;
  return inEngine(given, convertAnnotation, 256 << 20, async ({ warnings, account, tables }, rowsOf) => ({
    warnings,
    account,
    rows: await rowsOf('_annotation'),
    genomeBuild: tables[0]?.genomeBuild,
  }));
}

async function inEngine<T>(
  given: Pick<ConversionTask, 'type' | 'sourcePath' | 'options' | 'genomes'>,
  convert: Convert,
  memoryMaxBytes: number,
  read: (
    made: Pick<Conversion, 'tables' | 'warnings' | 'account' | 'progress'>,
    rowsOf: (table: string) => Promise<Row[]>,
  ) => Promise<T>,
): Promise<T> {
  const outputFolder = await mkdtemp(join(tmpdir(), 'ploidy-vcf-'));
  const sql = await keptSql(memoryMaxBytes);
  const warnings: Warning[] = [];
  let account: Account | undefined;
  const progress: Conversion['progress'] = [];
  try {
    const { size } = await stat(given.sourcePath);
    const task = { ...given, sourceSize: size, sourceName: 'a.vcf', outputFolder, setId };
    const tables = await convert(task, sql, {
      progress: (bytes, rows) => progress.push([bytes, rows]),
      warn: (warning) => warnings.push(warning),
      account: (given) => {
        account = given;
        requireWithin(given);
      },
    });
    assert.ok(account, 'the converter accounts for its records');
    await requireNotedValues(tables, sql);
    const rowsOf = async (table: string): Promise<Row[]> => {
      const made = tables.find((one) => one.table === table);
      return made ? await sql.rows(`SELECT * FROM read_parquet('${made.path}')`) : [];
    };
    return await read({ tables, warnings, account, progress }, rowsOf);
  } finally {
    await rm(outputFolder, { recursive: true, force: true });
  }
}

/** Compares the values that a writer noted with those that the engine reads from its files: none of them may be missing. */
async function requireNotedValues(tables: readonly ConvertedTable[], sql: Sql): Promise<void> {
  for (const { table, path, rows, values } of tables) {
    if (!values || rows === 0) continue;
    const [noted = {}, found = {}] = [boundsOf(table, values), await boundsIn(sql, table, path)];
    for (const [column, bound] of Object.entries(noted)) {
      const there = found[column];
      if (!('among' in bound)) assert.deepEqual(bound, there, `${table}.${column}`);
      else if (there && 'among' in there)
        assert.deepEqual(
          there.among.filter((value) => !bound.among.includes(value)),
          [],
          `${table}.${column}`,
        );
      else assert.fail(`${table}.${column} has more values than were noted`);
    }
  }
  const plain = tables.map(({ values: _, ...table }) => table);
  assert.deepEqual(await foundIn(sql, tables), await foundIn(sql, plain));
}

/** Converts text (or bytes) as if it had been uploaded. */
export async function convertText(
  content: string | Uint8Array,
  options: ConversionOptions = {},
): Promise<Conversion> {
  return withFile(content, (path) => convertFile(path, options));
}

/** Converts an annotation file. */
export async function annotationsOfText(
  content: string | Uint8Array,
  options: ConversionOptions = {},
): Promise<Annotations> {
  return withFile(content, (path) => annotationsOf(path, options));
}

async function withFile<T>(content: string | Uint8Array, work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-vcf-source-'));
  try {
    const path = join(folder, 'source');
    await writeFile(path, content);
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds a VCF of these meta lines, samples and records; blanks in the records become tabs. */
export function vcf(
  records: string[],
  { meta = [], samples = [] }: { meta?: string[]; samples?: string[] } = {},
): string {
  const columns = ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO'];
  if (samples.length > 0) columns.push('FORMAT', ...samples);
  const lines = [
    '##fileformat=VCFv4.3',
    ...meta,
    columns.join('\t'),
    ...records.map((record) => record.replaceAll(' ', '\t')),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns some columns of rows, as text for comparison: `a|b|c`. */
export function pick(rows: Row[], ...columns: string[]): string[] {
  return rows.map((row) => columns.map((column) => String(row[column] ?? '-')).join(' '));
}
