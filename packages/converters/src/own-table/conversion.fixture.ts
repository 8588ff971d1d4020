/** Runs conversions for the tests of this folder. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account, OwnTableRequest } from '@ploidy/formats';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import type { ConversionOptions, ConvertedTable, Warning } from '../../../engine/src/conversion.ts';
import { convertOwnTable } from './convert.ts';

export interface OwnConversion {
  table: ConvertedTable;
  /** `name:type:mask` of each column. */
  columns: string[];
  /** Rows in file order, values as text; `-` is NULL. */
  rows: string[];
  /** Values of each row, in the order of the columns; null is NULL. */
  cells: (string | null)[][];
  warnings: Warning[];
  account: Account | undefined;
}

/** Converts a content as if it had been uploaded under the name. */
export async function convertContent(
  content: string | Uint8Array,
  table: OwnTableRequest = {},
  options: ConversionOptions = {},
  sourceName = 'biobank.csv',
): Promise<OwnConversion> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-own-table-'));
  const sql = await keptSql(256 << 20);
  const warnings: Warning[] = [];
  let account: Account | undefined;
  try {
    const sourcePath = join(folder, 'source');
    await writeFile(sourcePath, content);
    const outputFolder = await mkdtemp(join(folder, 'output-'));
    const [made] = await convertOwnTable(
      {
        ...{ type: 'table', sourcePath, sourceSize: content.length, sourceName, outputFolder, setId: 'set' },
        options: { ...options, table },
      },
      sql,
      {
        progress: () => undefined,
        warn: (warning) => warnings.push(warning),
        account: (given) => {
          account = given;
        },
      },
    );
    if (!made || !account) throw new Error('no table, or no account of it');
    const rows = await sql.rows(`SELECT COLUMNS(*)::VARCHAR FROM read_parquet('${made.path}')`);
    const cells = rows.map((row) => Object.values(row).map((value) => (value as string | null) ?? null));
    return {
      table: made,
      columns: (made.ownColumns ?? []).map(({ name, type, mask }) => `${name}:${type}:${mask}`),
      rows: cells.map((row) => row.map((value) => value ?? '-').join('|')),
      cells,
      warnings,
      account,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Joins lines of a file. */
export const lines = (...all: string[]): string => `${all.join('\n')}\n`;
