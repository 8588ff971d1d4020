import { RecordFault } from './record-fault.ts';

/**
 * Separators. Tabs: fields are unchanged, except for quotes around a whole one, which spreadsheets and R write. Commas: fields
 * may be quoted (RFC 4180). Semicolons: as commas, where a comma is the decimal point. Blanks: as commas, the default of R's
 * `write.table`. Line ends: the whole line is one field.
 */
export type Delimiter = '\t' | ',' | ';' | ' ' | '\n';

/** Quotes around all names, as R writes them; without them a blank may be part of a name. */
const dividedByBlanks = /^"[^"]*" /;

/**
 * Detects the separator. Tabs are never part of a name, so they separate any line with one. A header of a single name beside
 * row names has no separator: the line after it, `next`, decides.
 */
export function delimiterOf(header: string, next = ''): Delimiter {
  const isTelling = (line: string): boolean => /[\t,;]/.test(line) || dividedByBlanks.test(line);
  const telling = isTelling(header) ? header : next;
  if (telling.includes('\t')) return '\t';
  if (dividedByBlanks.test(telling)) return ' ';
  return telling.includes(',') ? ',' : '\t';
}

/** Splits a whole record into fields. Throws `RecordFault` for quotes that violate RFC 4180. */
export function fieldsOf(record: string, delimiter: Delimiter): string[] {
  if (delimiter === '\n') return [record];
  if (!record.includes('"')) return record.split(delimiter);
  if (delimiter === '\t') return record.split(delimiter).map(unquoted);
  const fields: string[] = [];
  let at = 0;
  do {
    const end = record[at] === '"' ? endOfQuoted(record, at) : endOfPlain(record, at, delimiter);
    const field = record.slice(at, end);
    const isQuoted = field.startsWith('"');
    if (isQuoted ? end < record.length && record[end] !== delimiter : field.includes('"')) {
      throw new RecordFault('a quotation mark is misplaced', fields.length + 1);
    }
    fields.push(isQuoted ? field.slice(1, -1).replaceAll('""', '"') : field);
    at = end + 1;
  } while (at <= record.length);
  return fields;
}

function unquoted(field: string): string {
  if (field.length < 2 || !field.startsWith('"') || !field.endsWith('"')) return field;
  const parts = field.slice(1, -1).split('""');
  return parts.some((part) => part.includes('"')) ? field : parts.join('"');
}

/** Returns whether a quoted field is open at the end of the text: otherwise quotes are paired. */
export function isOpen(record: string): boolean {
  let count = 0;
  for (let at = record.indexOf('"'); at >= 0; at = record.indexOf('"', at + 1)) count += 1;
  return count % 2 === 1;
}

function endOfQuoted(record: string, start: number): number {
  let at = record.indexOf('"', start + 1);
  while (at >= 0 && record[at + 1] === '"') at = record.indexOf('"', at + 2);
  return at < 0 ? record.length : at + 1;
}

function endOfPlain(record: string, start: number, delimiter: Delimiter): number {
  const end = record.indexOf(delimiter, start);
  return end < 0 ? record.length : end;
}
