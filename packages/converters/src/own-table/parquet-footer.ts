import { open } from 'node:fs/promises';
import type { Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import { InputError, requireColumnCount } from '@ploidy/formats';

const limits = {
  /** Maximum size of a footer: two thousand columns in a hundred row groups need 20 MB. */
  footerBytesMax: 64 * 2 ** 20,
  /** Levels of a schema: each list has two. */
  depthMax: 64,
  valuesMax: 2_000_000_000,
  /** Decoded bytes. */
  rowGroupBytesMax: 4 * 2 ** 30,
};

/** Throws `InputError` for a file whose footer announces more than a table holds, before any of its data is read. */
export async function requireModestFooter(
  sql: Sql,
  path: string,
  { footerBytesMax, depthMax, valuesMax, rowGroupBytesMax } = limits,
): Promise<void> {
  await requireFooterSize(path, footerBytesMax);
  const file = literal(path);
  const schema = await sql.rows(`SELECT num_children FROM parquet_schema(${file})`);
  const children = schema.map(childrenOf);
  const [columns = 0] = children;
  const depth = depthsOf(children).reduce((most, one) => Math.max(most, one), 0);
  requireColumnCount(columns);
  if (depth > depthMax)
    throw new InputError(`Values of the file are nested more than ${depthMax} levels deep: flatten them.`);
  const [footer] = await sql.rows(`SELECT num_rows::DOUBLE AS n FROM parquet_file_metadata(${file})`);
  if (Number(footer?.['n']) * columns > valuesMax)
    throw new InputError(`The file has more than ${valuesMax} values: split it into several files.`);
  const [groups] = await sql.rows(
    `SELECT coalesce(max(row_group_bytes), 0)::DOUBLE AS n FROM parquet_metadata(${file})`,
  );
  if (Number(groups?.['n']) > rowGroupBytesMax)
    throw new InputError(
      `A row group of the file has more than ${rowGroupBytesMax} bytes: write smaller row groups.`,
    );
}

async function requireFooterSize(path: string, footerBytesMax: number): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const end = Buffer.alloc(8);
    await file.read(end, 0, end.length, Math.max(0, size - end.length));
    if (end.readUInt32LE(0) <= footerBytesMax) return;
    throw new InputError(
      `The footer of the Parquet file has more than ${footerBytesMax} bytes: write fewer row groups or columns.`,
    );
  } finally {
    await file.close();
  }
}

/** Column of the file: an element of the schema with all that it encloses. */
export interface FileColumn {
  /** Name as it was written: the engine renames columns that differ in case only. */
  title: string;
  /** Set for decimals of more than 38 digits, which the engine reads as other numbers. */
  isTooWide: boolean;
  /** Set for times whose nanoseconds the engine does not read. */
  losesNanoseconds: boolean;
}

/** Lists the columns of a file by its schema, in the order in which the engine lists them. */
export async function fileColumns(sql: Sql, path: string): Promise<FileColumn[]> {
  const schema = await sql.rows(
    `SELECT name, num_children, coalesce(precision > 38, false) AS is_wide,
      type = 'INT96' OR coalesce(logical_type LIKE '%NanoSeconds%' AND logical_type NOT LIKE 'TimestampType(isAdjustedToUTC=0%', false) AS has_nanoseconds
    FROM parquet_schema(${literal(path)})`,
  );
  const columns: FileColumn[] = [];
  for (const [place, depth] of depthsOf(schema.map(childrenOf)).entries()) {
    if (depth === 0) continue;
    const element = schema[place];
    if (depth === 1)
      columns.push({ title: String(element?.['name']), isTooWide: false, losesNanoseconds: false });
    const column = columns.at(-1) as FileColumn;
    column.isTooWide ||= element?.['is_wide'] === true;
    column.losesNanoseconds ||= element?.['has_nanoseconds'] === true;
  }
  return columns;
}

const childrenOf = (element: Readonly<Record<string, unknown>>): number =>
  Number(element['num_children'] ?? 0);

/** Finds the level of each element of a schema; they are in depth-first order with the number of their children. */
function depthsOf(children: readonly number[]): number[] {
  const open: number[] = [];
  return children.map((count) => {
    const depth = open.length;
    if (count > 0) {
      open.push(count);
      return depth;
    }
    // The last element of a group completes it, and perhaps the enclosing ones.
    for (let left = 0; left === 0 && open.length > 0; ) {
      left = (open.pop() ?? 1) - 1;
      if (left > 0) open.push(left);
    }
    return depth;
  });
}
