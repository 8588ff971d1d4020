import type { ResultType } from '../result-type.ts';
import { asText, timestampDigits } from './csv.ts';
import { copyLines, joined } from './ndjson.ts';
import { literal } from './quote.ts';
import { type FileColumn, numbered } from './select-columns.ts';

/** Returns the statement that writes the result of `sql` as lines: a JSON array for each row, with the values of the Trino client protocol. */
export function copyToTrino(sql: string, columns: readonly FileColumn[], path: string): string {
  return copyLines(trinoLine(columns), numbered(sql, columns.length), path);
}

/** Returns an expression for the line of a row of the relation `r(c0, c1, …)`. */
export function trinoLine(columns: readonly FileColumn[]): string {
  const values = columns.map(({ type }, index) => [
    literal(index > 0 ? ',' : '['),
    orNull(`r.c${index}`, type, 0),
  ]);
  return joined([...values.flat(), literal(']')]);
}

const orNull = (value: string, type: ResultType, depth: number): string =>
  `coalesce(${textOf(value, type, depth)}, 'null')`;

/** Nested values are put together as text: a row is an array there, and a 64-bit number keeps its digits. */
function textOf(value: string, type: ResultType, depth: number): string {
  const inner = `_ploidy_${depth}`;
  switch (type.kind) {
    case 'list':
      return joinedList('[]', value, `lambda ${inner}: ${orNull(inner, type.item, depth + 1)}`);
    case 'map': {
      const key = quoted(`${inner}.key::VARCHAR`);
      const item = orNull(`${inner}.value`, type.item, depth + 1);
      return joinedList('{}', `map_entries(${value})`, `lambda ${inner}: ${key} || ':' || ${item}`);
    }
    case 'struct': {
      // By place: the fields of ROW(1, 2) have no names.
      const fields = type.fields.map((field, index) =>
        orNull(`struct_extract_at(${value}, ${index + 1})`, field.type, depth + 1),
      );
      return `CASE WHEN ${value} IS NOT NULL THEN '[' || ${fields.join(` || ',' || `)} || ']' END`;
    }
    case 'other':
      return quoted(`${value}::VARCHAR`);
    case 'plain':
      return plainValue(value, type);
  }
}

function joinedList([open, close]: string, list: string, form: string): string {
  return `'${open}' || array_to_string(list_transform(${list}, ${form}), ',') || '${close}'`;
}

const quoted = (text: string): string => `to_json(${text})::VARCHAR`;

function plainValue(value: string, type: ResultType): string {
  const { name } = type;
  if (name === 'BOOLEAN' || /^(?:U?(?:TINY|SMALL)INT|U?INTEGER|BIGINT)$/.test(name))
    return `${value}::VARCHAR`;
  // Sums are of 128 bits in the engine, and of 64 in Trino.
  if (/^U?HUGEINT$|^UBIGINT$/.test(name)) return `CAST(${value} AS BIGINT)::VARCHAR`;
  if (name === 'DOUBLE' || name === 'FLOAT')
    return `CASE WHEN isfinite(${value}) THEN ${value}::VARCHAR ELSE '"' || ${asText(value, type, 'exact')} || '"' END`;
  if (name === 'DATE') return quoted(finite(value, asText(value, type, 'exact')));
  if (name === 'TIMESTAMP WITH TIME ZONE')
    return quoted(finite(value, `strftime(${value} AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S.%f') || ' UTC'`));
  const digits = timestampDigits[name];
  if (digits !== undefined) return quoted(finite(value, `strftime(${value}, '%Y-%m-%d %H:%M:%S${digits}')`));
  if (name === 'TIME') return quoted(microseconds(`${value}::VARCHAR`));
  if (name === 'BLOB') return quoted(`to_base64(${value})`);
  return quoted(`${value}::VARCHAR`);
}

/** Infinite dates have no form in Trino: an error is more honest than NULL. */
const finite = (value: string, text: string): string =>
  `CASE WHEN isfinite(${value}) THEN ${text} WHEN ${value} IS NOT NULL THEN error('an infinite date or timestamp has no value in this protocol') END`;

/** The engine leaves out zeros at the end. */
const microseconds = (time: string): string =>
  `rpad(${time} || CASE WHEN length(${time}) = 8 THEN '.' ELSE '' END, 15, '0')`;
