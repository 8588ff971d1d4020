import type { ResultType } from '../result-type.ts';
import { asJson, asText, type TimestampForm } from './csv.ts';
import { portableType } from './portable-types.ts';
import { literal } from './quote.ts';
import { type FileColumn, numbered } from './select-columns.ts';

/** A character that no line holds, as JSON escapes it: the engine's CSV writer then leaves lines as they are. */
const absentCharacter = String.fromCharCode(1);

/** Returns the statement that writes the result of `sql` as lines of JSON, an object for each row; NULL is `null`. */
export function copyToNdjson(
  sql: string,
  columns: readonly FileColumn[],
  path: string,
  timestamps: TimestampForm,
): string {
  const members = columns.map(({ header, type }, index) => [
    literal(`${index > 0 ? ',' : '{'}${JSON.stringify(header)}:`),
    jsonText(`r.c${index}`, type, timestamps),
  ]);
  return copyLines(joined([...members.flat(), literal('}')]), numbered(sql, columns.length), path);
}

/** Returns the statement that writes a part of the result of `sql` as lines of JSON, one array a row. */
export function copyToRows(
  sql: string,
  columns: readonly FileColumn[],
  path: string,
  page: { offset: number; rowsMax: number; timestamps: TimestampForm },
): string {
  const values = columns.map(({ type }, index) => [
    literal(index > 0 ? ',' : '['),
    jsonText(`r.c${index}`, type, page.timestamps),
  ]);
  const rows = `${numbered(sql, columns.length)} LIMIT ${page.rowsMax} OFFSET ${page.offset}`;
  return copyLines(joined([...values.flat(), literal(']')]), rows, path);
}

/** Builds the statement that writes the first column of `sql` as lines. Line breaks within a text become blanks. */
export function copyFirstColumn(sql: string, columns: readonly FileColumn[], path: string): string {
  return copyLines(withoutBreaks('CAST(r.c0 AS VARCHAR)'), numbered(sql, columns.length), path);
}

const withoutBreaks = (text: string): string => `system.main.regexp_replace(${text}, '[\\r\\n]+', ' ', 'g')`;

/** Joins texts with one call: each `||` of a chain copies what is before it. */
export const joined = (parts: readonly string[]): string => `system.main.concat(${parts.join(', ')})`;

/** Writes the lines of the expression `line` over a relation. */
export function copyLines(line: string, from: string, path: string): string {
  return (
    `COPY (SELECT ${line} FROM ${from}) TO ${literal(path)} ` +
    `(FORMAT csv, HEADER false, DELIMITER ${literal(absentCharacter)}, QUOTE '', ESCAPE '', USE_TMP_FILE false)`
  );
}

/** Text of a value in JSON. Numbers keep all their digits; NaN and infinities, which JSON does not have, are `null`. */
function jsonText(value: string, type: ResultType, timestamps: TimestampForm): string {
  return `coalesce(${valueText(value, type, timestamps)}, 'null')`;
}

function valueText(value: string, type: ResultType, timestamps: TimestampForm): string {
  if (type.kind !== 'plain') {
    const named = isNamed(type) ? type : portableType(type);
    const cast = named === type ? value : `CAST(${value} AS ${named.name})`;
    return `to_json(${asJson(cast, named, timestamps)})::VARCHAR`;
  }
  if (type.name === 'DOUBLE' || type.name === 'FLOAT')
    return `CASE WHEN isfinite(${value}) THEN ${value}::VARCHAR END`;
  if (isExact(type.name)) return `${value}::VARCHAR`;
  // As it is: parsed again, its decimals would lose digits.
  if (type.isJson) return withoutBreaks(`${value}::VARCHAR`);
  return `to_json(${asText(value, type, timestamps)})::VARCHAR`;
}

/** Integers, decimals and booleans, which the engine writes as JSON does. */
const isExact = (name: string): boolean =>
  name === 'BOOLEAN' || name.startsWith('DECIMAL(') || /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(name);

/** Returns whether every field in a type has a name: those of ROW(1, 2) have none. */
function isNamed(type: ResultType): boolean {
  switch (type.kind) {
    case 'list':
      return isNamed(type.item);
    case 'map':
      return isNamed(type.key) && isNamed(type.item);
    case 'struct':
      return type.fields.every((field) => field.name !== '' && isNamed(field.type));
    case 'plain':
    case 'other':
      return true;
  }
}
