import { createHash } from 'node:crypto';
import type { WrittenValues } from '@ploidy/formats';
import {
  type BoundForm,
  type Bounds,
  boundForm,
  boundValuesMax,
  digestLength,
  type StoredColumn,
  tables,
} from '@ploidy/formats/tables';
import type { Sql } from '../conversion.ts';
import { identifier, literal } from './quote.ts';
import { schemaOption } from './stored-columns.ts';

/** Longest value of a list. Names of genes and sequences are short. */
const valueLengthMax = 100;

type BoundColumn = StoredColumn & { form: BoundForm };

/** Lists the columns of a table that have bounds. */
function boundColumns(table: string): BoundColumn[] {
  return (tables.get(table)?.columns ?? []).flatMap((column) => {
    const form = boundForm(table, column.name);
    return form ? [{ ...column, form }] : [];
  });
}

/** Returns the bounds of a file of a table by the values that its writer noted, as `boundsIn` reads them. */
export function boundsOf(table: string, values: WrittenValues): Bounds | undefined {
  const columns = boundColumns(table);
  if (columns.length === 0) return undefined;
  const bounds: Bounds = {};
  for (const { name, form } of columns) {
    if (form === 'range') {
      const range = values.rangeOf(name);
      if (range) Object.assign(bounds, rangeOf(name, range.from, range.to));
      continue;
    }
    const texts = values.textsOf(name);
    const among = texts && keptList(form === 'digests' ? texts.map(digestOf) : texts);
    if (among) bounds[name] = { among };
  }
  return bounds;
}

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digestLength);

/** Returns the values of a list, sorted; undefined if they are too many, or long. */
function keptList(values: string[]): string[] | undefined {
  const isKept = values.length <= boundValuesMax && values.every(({ length }) => length <= valueLengthMax);
  return isKept ? values.sort() : undefined;
}

/** Reads the bounds of a finished file of a table; undefined if its columns have none. */
export async function boundsIn(sql: Sql, table: string, path: string): Promise<Bounds | undefined> {
  const columns = boundColumns(table);
  if (columns.length === 0) return undefined;
  // Files of earlier versions may lack a column, and so may what is merged from them.
  const relation = `read_parquet(${literal(path)}, ${schemaOption(columns)})`;
  const measures = columns.map(({ name, form }, index) =>
    form === 'range'
      ? `min(${identifier(name)}) AS low${index}, max(${identifier(name)}) AS high${index}`
      : // An estimate needs no memory for the values.
        `approx_count_distinct(${identifier(name)}) AS count${index}`,
  );
  const [measured = {}] = await sql.rows(`SELECT ${measures.join(', ')} FROM ${relation}`);
  const bounds: Bounds = {};
  for (const [index, column] of columns.entries()) {
    if (column.form === 'range') {
      const [from, to] = [measured[`low${index}`], measured[`high${index}`]];
      if (from != null && to != null) Object.assign(bounds, rangeOf(column.name, Number(from), Number(to)));
    } else if (Number(measured[`count${index}`]) <= boundValuesMax * 2) {
      const among = await listOf(sql, relation, column);
      if (among) bounds[column.name] = { among };
    }
  }
  return bounds;
}

/** Omits numbers that JavaScript would round. */
function rangeOf(name: string, from: number, to: number): Bounds {
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) ? { [name]: { from, to } } : {};
}

async function listOf(
  sql: Sql,
  relation: string,
  { name, form }: { name: string; form: BoundForm },
): Promise<string[] | undefined> {
  const column = identifier(name);
  const value = form === 'digests' ? `left(sha256(${column}), ${digestLength})` : column;
  const rows = await sql.rows(
    `SELECT DISTINCT ${value} AS value FROM ${relation} WHERE ${column} IS NOT NULL LIMIT ${boundValuesMax + 1}`,
  );
  return keptList(rows.map(({ value }) => String(value)));
}
