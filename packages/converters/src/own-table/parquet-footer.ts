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
  const { columns, depth } = shapeOf(schema.map((row) => Number(row['num_children'] ?? 0)));
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

/** Counts columns and levels of a schema, whose elements are in depth-first order with the number of their children. */
function shapeOf([columns = 0, ...children]: readonly number[]): { columns: number; depth: number } {
  const open: number[] = [];
  let depth = 0;
  for (const count of children) {
    depth = Math.max(depth, open.length + 1);
    if (count > 0) {
      open.push(count);
      continue;
    }
    // The last element of a group completes it, and perhaps the enclosing ones.
    for (let left = 0; left === 0 && open.length > 0; ) {
      left = (open.pop() ?? 1) - 1;
      if (left > 0) open.push(left);
    }
  }
  return { columns, depth };
}
