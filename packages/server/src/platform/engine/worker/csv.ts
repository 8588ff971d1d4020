import type { ResultType } from '../result-type.ts';
import { identifier, literal } from './quote.ts';

/**
 * The statement that writes the result of `sql` as CSV (decisions §8): RFC 4180, header row, `\n`, NULL as an empty field, an
 * empty text as `""`. Values that CSV has no form for become text here: timestamps RFC 3339, nested values JSON, bytes base64.
 */
export function copyToCsv(
  sql: string,
  types: readonly ResultType[],
  headers: readonly string[],
  path: string,
): string {
  const names = types.map((_, index) => `c${index}`);
  const list = types.map(
    (type, index) => `${asText(`r.c${index}`, type)} AS ${identifier(headers[index] ?? '')}`,
  );
  return (
    `COPY (SELECT ${list.join(', ')} FROM (\n${sql}\n) AS r(${names.join(', ')})) TO ${literal(path)} ` +
    `(FORMAT csv, HEADER true, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR '', USE_TMP_FILE false)`
  );
}

function asText(value: string, type: ResultType): string {
  if (type.kind !== 'plain') return `to_json(${asJson(value, type, 0)})::VARCHAR`;
  if (type.name === 'BLOB') return `to_base64(${value})`;
  if (type.name === 'TIMESTAMP WITH TIME ZONE') return rfc3339(`(${value} AT TIME ZONE 'UTC')`);
  if (type.name.startsWith('TIMESTAMP')) return rfc3339(value);
  // The engine writes the sign of what is no number as well.
  if (isFloat(type.name)) return `CASE WHEN isnan(${value}) THEN 'NaN' ELSE ${value}::VARCHAR END`;
  if (type.name === 'DATE') return withYear(value, `${value}::VARCHAR`);
  return value;
}

/** What becomes of a value inside a nested one: JSON has no dates, bytes and infinities. */
function asJson(value: string, type: ResultType, depth: number): string {
  if (!needsForm(type)) return value;
  const inner = `x${depth}`;
  switch (type.kind) {
    case 'list':
      return `list_transform(${value}, lambda ${inner}: ${asJson(inner, type.item, depth + 1)})`;
    case 'struct': {
      const fields = type.fields.map(
        ({ name, type: of }) =>
          `${identifier(name)} := ${asJson(`${value}[${literal(name)}]`, of, depth + 1)}`,
      );
      return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`;
    }
    case 'map': {
      const [key, item] = [
        asJson(`${inner}.key`, type.key, depth + 1),
        asJson(`${inner}.value`, type.item, depth + 1),
      ];
      return `map_from_entries(list_transform(map_entries(${value}), lambda ${inner}: struct_pack(key := ${key}, value := ${item})))`;
    }
    case 'other':
      return value;
    case 'plain':
      return isFloat(type.name) ? asNumber(value, type.name) : asText(value, type);
  }
}

/** By way of its text a FLOAT has as many digits as by itself: as a DOUBLE 0.1 would be 0.10000000149011612. */
function asNumber(value: string, typeName: string): string {
  const number = typeName === 'FLOAT' ? `${value}::VARCHAR::DOUBLE` : value;
  return `CASE WHEN isfinite(${value}) THEN ${number} END`;
}

const isFloat = (name: string): boolean => name === 'DOUBLE' || name === 'FLOAT';

function needsForm(type: ResultType): boolean {
  switch (type.kind) {
    case 'list':
      return needsForm(type.item);
    case 'struct':
      // A field without a name cannot be asked for.
      return (
        type.fields.every(({ name }) => name !== '') && type.fields.some((field) => needsForm(field.type))
      );
    case 'map':
      return needsForm(type.key) || needsForm(type.item);
    case 'other':
      return false;
    case 'plain':
      return /^(?:TIMESTAMP|BLOB$|DATE$|DOUBLE$|FLOAT$)/.test(type.name);
  }
}

/** As many digits of the second as the value has; a timestamp without a zone counts as UTC. */
function rfc3339(timestamp: string): string {
  const time = `replace(system.main.split_part(replace(${timestamp}::VARCHAR, ' (BC)', ''), ' ', 2), ' ', '')`;
  const text = `(system.main.split_part(${timestamp}::VARCHAR, ' ', 1) || 'T' || ${time} || 'Z')`;
  return `CASE WHEN isfinite(${timestamp}) THEN ${withYear(timestamp, text)} ELSE ${timestamp}::VARCHAR END`;
}

/** Before the year 1 as ISO 8601 counts, where 1 BC is the year 0: `-0043-03-15` for 15 March 44 BC. */
function withYear(value: string, text: string): string {
  const year = `CASE WHEN year(${value}) < 0 THEN '-' ELSE '' END || lpad(abs(year(${value}))::VARCHAR, 4, '0')`;
  const before = `${year} || '-' || lpad(month(${value})::VARCHAR, 2, '0') || '-' || lpad(day(${value})::VARCHAR, 2, '0')`;
  const rest = text === `${value}::VARCHAR` ? '' : ` || system.main.substr(${text}, strpos(${text}, 'T'))`;
  return `CASE WHEN isfinite(${value}) AND year(${value}) < 1 THEN ${before}${rest} ELSE ${text} END`;
}
