/** Runs conversions for the tests of this folder. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Account, type TabularType, tableOfType } from '@ploidy/formats';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import type { ConversionOptions, ConvertedTable, Warning } from '../../../engine/src/conversion.ts';
import { requireWithin } from '../tables/account.fixture.ts';
import { convertTabular } from './convert.ts';

export type TableRow = Record<string, unknown>;

export interface Conversion {
  tables: ConvertedTable[];
  /** Rows of the omic table, in file order. */
  rows: TableRow[];
  sequences: TableRow[];
  /** Rows of `variant_call`. */
  calls: TableRow[];
  alterations: TableRow[];
  /** Rows of `sample_profile`. */
  profiles: TableRow[];
  warnings: Warning[];
  account: Account | undefined;
  progress: [bytes: number, rows: number][];
}

/** Converts a file in a folder of its own, which is removed afterwards. */
export async function convertFile(
  type: TabularType,
  sourcePath: string,
  options: ConversionOptions = {},
  sourceName = basename(sourcePath),
): Promise<Conversion> {
  const outputFolder = await mkdtemp(join(tmpdir(), 'ploidy-tabular-'));
  const sql = await keptSql(256 << 20);
  const warnings: Warning[] = [];
  let account: Account | undefined;
  const progress: Conversion['progress'] = [];
  try {
    const { size } = await stat(sourcePath);
    const task = { type, sourcePath, sourceSize: size, sourceName, outputFolder, setId: 'set', options };
    const tables = await convertTabular(task, sql, {
      progress: (bytes, rows) => progress.push([bytes, rows]),
      warn: (warning) => warnings.push(warning),
      account: (given) => {
        account = given;
        requireWithin(given);
      },
    });
    const rowsOf = async (name: string): Promise<TableRow[]> => {
      const made = tables.find(({ table }) => table === name);
      return made ? sql.rows(`SELECT * FROM read_parquet('${made.path}')`) : [];
    };
    return {
      tables,
      rows: await rowsOf(tableOfType[type].table),
      sequences: await rowsOf('sequence'),
      calls: await rowsOf('variant_call'),
      alterations: await rowsOf('alteration'),
      profiles: await rowsOf('sample_profile'),
      ...{ warnings, account, progress },
    };
  } finally {
    await rm(outputFolder, { recursive: true, force: true });
  }
}

/** Converts text (or bytes) as if it had been uploaded under the name. */
export async function convertText(
  type: TabularType,
  content: string | Uint8Array,
  options: ConversionOptions = {},
  sourceName = 'S1.tsv',
): Promise<Conversion> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-tabular-source-'));
  try {
    const path = join(folder, 'source');
    await writeFile(path, content);
    return await convertFile(type, path, options, sourceName);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Joins lines of columns; blanks become tabs. */
export function tsv(...lines: string[]): string {
  return `${lines.map((line) => line.replaceAll(' ', '\t')).join('\n')}\n`;
}

/** Returns some columns of rows as text for comparison: `a|b|c`. */
export function pick(rows: TableRow[], ...columns: string[]): string[] {
  return rows.map((row) => columns.map((column) => String(row[column] ?? '-')).join('|'));
}
