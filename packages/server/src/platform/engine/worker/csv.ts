import { identifier, literal } from './quote.ts';

/** A column of a result as the engine describes it. */
export interface Column {
  name: string;
  /** SQL name of its type. */
  type: string;
}

/**
 * The statement that writes the result of `sql` as CSV (decisions §8): RFC 4180, header row, `\n`, NULL as an empty field, an
 * empty text as `""`. Values that CSV has no form for become text here: timestamps RFC 3339, nested values JSON, bytes base64.
 */
export function copyToCsv(sql: string, columns: readonly Column[], path: string): string {
  const names = columns.map((_, index) => `c${index}`);
  const headers = uniqueNames(columns.map((column) => column.name));
  const list = columns.map(
    ({ type }, index) => `${asText(`r.c${index}`, type)} AS ${identifier(headers[index] ?? '')}`,
  );
  return (
    `COPY (SELECT ${list.join(', ')} FROM (\n${sql}\n) AS r(${names.join(', ')})) TO ${literal(path)} ` +
    `(FORMAT csv, HEADER true, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR '', USE_TMP_FILE false)`
  );
}

function asText(value: string, type: string): string {
  if (/^(STRUCT|MAP|UNION)\(|\]$/.test(type)) return `to_json(${value})::VARCHAR`;
  if (type === 'BLOB') return `to_base64(${value})`;
  if (type === 'TIMESTAMP WITH TIME ZONE') return rfc3339(`(${value} AT TIME ZONE 'UTC')`);
  if (type.startsWith('TIMESTAMP')) return rfc3339(value);
  return value;
}

/** As many digits of the second as the value has; a timestamp without a zone counts as UTC. */
function rfc3339(timestamp: string): string {
  const text = `${timestamp}::VARCHAR`;
  return `CASE WHEN isfinite(${timestamp}) THEN replace(${text}, ' ', 'T') || 'Z' ELSE ${text} END`;
}

/** The second `id` becomes `id_1`. Upper and lower case do not make names different, as in SQL. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  const used = new Set<string>();
  return names.map((name, index) => {
    const wanted = name === '' ? `column_${index + 1}` : name;
    let unique = wanted;
    for (let n = 1; used.has(unique.toLowerCase()); n += 1) {
      const candidate = `${wanted}_${n}`;
      if (!taken.has(candidate.toLowerCase())) unique = candidate;
    }
    used.add(unique.toLowerCase());
    return unique;
  });
}
