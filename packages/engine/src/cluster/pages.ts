import type { BoundStatement } from '../engine.ts';
import { identifier, literal } from '../task-runtime/quote.ts';
import type { RemotePages } from './client.ts';

/** Returns a SELECT of the local engine over pages of Trino, with the columns that it would give itself. */
export function rowsOfPages(
  path: string,
  { pageBytesMax }: RemotePages,
  columns: BoundStatement['columns'],
): { relation: string; list: string } {
  const list = columns.map(({ name, type }, at) => `CAST(r[${at + 1}] AS ${type}) AS ${identifier(name)}`);
  const relation = `SELECT unnest(data) AS r FROM read_json(${literal(path)}, format = 'newline_delimited',
      columns = {data: 'VARCHAR[][]'}, maximum_object_size = ${Math.max(pageBytesMax, pageBytesMin)})`;
  return { relation, list: list.join(', ') };
}

/** The engine reserves several buffers of the largest page. */
const pageBytesMin = 2 ** 20;
