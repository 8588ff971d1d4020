import type { ResultType } from '../result-type.ts';
import { type Form, inForm } from './nested-form.ts';
import { literal } from './quote.ts';
import { type FileColumn, selectColumns } from './select-columns.ts';

/**
 * Forms of timestamps in text. `utc`: RFC 3339 with milliseconds, without a zone as UTC. `exact`: all digits of the type, and `Z` for a
 * type with a zone only.
 */
export const timestampForms = ['utc', 'exact'] as const;
export type TimestampForm = (typeof timestampForms)[number];

/**
 * Returns the statement that writes the result of `sql` as CSV (decisions §8): RFC 4180, header row, `\n`, NULL as an empty
 * field, an empty text as `""`. Values that CSV has no form for become text here: timestamps RFC 3339, nested values JSON,
 * bytes base64.
 */
export function copyToCsv(
  sql: string,
  columns: readonly FileColumn[],
  path: string,
  timestamps: TimestampForm,
): string {
  const formOf = (value: string, type: ResultType): string => asText(value, type, timestamps);
  return (
    `COPY (${selectColumns(sql, columns, formOf)}) TO ${literal(path)} ` +
    `(FORMAT csv, HEADER true, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR '', USE_TMP_FILE false)`
  );
}

/** Text of a value in a field of a file. */
export function asText(value: string, type: ResultType, timestamps: TimestampForm): string {
  if (type.kind !== 'plain') return `to_json(${asJson(value, type, timestamps)})::VARCHAR`;
  if (type.name === 'BLOB') return `to_base64(${value})`;
  if (type.name.startsWith('TIMESTAMP')) return timestampText(value, type.name, timestamps);
  if (isFloat(type.name)) return floatText(value);
  if (type.name === 'DATE') return withYear(value, `${value}::VARCHAR`);
  return value;
}

/** Converts a value inside a nested one: JSON has no dates, bytes and infinities. */
export function asJson(value: string, type: ResultType, timestamps: TimestampForm): string {
  return inForm(value, type, jsonForm(timestamps));
}

const jsonForm = (timestamps: TimestampForm): Form => ({
  isFor: (name) => /^(?:TIMESTAMP|BLOB$|DATE$|DOUBLE$|FLOAT$)/.test(name),
  of: (value, type) => (isFloat(type.name) ? asNumber(value, type.name) : asText(value, type, timestamps)),
});

/** Prints a FLOAT by way of its text, with its own digits: as a DOUBLE 0.1 would be 0.10000000149011612. */
function asNumber(value: string, typeName: string): string {
  const number = typeName === 'FLOAT' ? `${value}::VARCHAR::DOUBLE` : value;
  return `CASE WHEN isfinite(${value}) THEN ${number} END`;
}

/** Digits behind the second, by the type that has them; of TIMESTAMP WITH TIME ZONE as of TIMESTAMP. */
export const timestampDigits: Readonly<Record<string, string>> = {
  TIMESTAMP_S: '',
  TIMESTAMP_MS: '.%g',
  TIMESTAMP: '.%f',
  TIMESTAMP_NS: '.%n',
};

const isFloat = (name: string): boolean => name === 'DOUBLE' || name === 'FLOAT';

/** Always with the same number of digits: readers infer the form of a column from its first value. */
function timestampText(value: string, name: string, form: TimestampForm): string {
  const isZoned = name === 'TIMESTAMP WITH TIME ZONE';
  const timestamp = isZoned ? `(${value} AT TIME ZONE 'UTC')` : value;
  const ending = form === 'utc' ? '.%gZ' : `${timestampDigits[name] ?? '.%f'}${isZoned ? 'Z' : ''}`;
  const text = `strftime(${timestamp}, '%Y-%m-%dT%H:%M:%S${ending}')`;
  return `CASE WHEN isfinite(${timestamp}) THEN ${withYear(timestamp, text)} ELSE ${timestamp}::VARCHAR END`;
}

/** Presto's words, which other tools read as well. The engine would also write the sign of what is no number. */
function floatText(value: string): string {
  const infinite = `CASE WHEN isnan(${value}) THEN 'NaN' WHEN ${value} > 0 THEN 'Infinity' ELSE '-Infinity' END`;
  return `CASE WHEN NOT isfinite(${value}) THEN ${infinite} ELSE ${value}::VARCHAR END`;
}

/** Before the year 1 as ISO 8601 counts, where 1 BC is the year 0: `-0043-03-15` for 15 March 44 BC. */
function withYear(value: string, text: string): string {
  const year = `CASE WHEN year(${value}) < 0 THEN '-' ELSE '' END || lpad(abs(year(${value}))::VARCHAR, 4, '0')`;
  const before = `${year} || '-' || lpad(month(${value})::VARCHAR, 2, '0') || '-' || lpad(day(${value})::VARCHAR, 2, '0')`;
  const rest = text === `${value}::VARCHAR` ? '' : ` || system.main.substr(${text}, strpos(${text}, 'T'))`;
  return `CASE WHEN isfinite(${value}) AND year(${value}) < 1 THEN ${before}${rest} ELSE ${text} END`;
}
