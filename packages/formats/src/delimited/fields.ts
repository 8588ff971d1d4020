import { RecordFault } from './record-fault.ts';

/** Tabs: fields are taken as they stand, but for marks around a whole one, which spreadsheets and R write. Commas: fields may be quoted (RFC 4180). */
export type Delimiter = '\t' | ',';

/** Tabs are never part of a name, so that a line that has one is divided by them. */
export function delimiterOf(header: string): Delimiter {
  return header.includes('\t') || !header.includes(',') ? '\t' : ',';
}

/** The fields of a whole record. Throws `RecordFault` for quotes that are not as RFC 4180 has them. */
export function fieldsOf(record: string, delimiter: Delimiter): string[] {
  if (!record.includes('"')) return record.split(delimiter);
  if (delimiter === '\t') return record.split(delimiter).map(unquoted);
  const fields: string[] = [];
  let at = 0;
  do {
    const end = record[at] === '"' ? endOfQuoted(record, at) : endOfPlain(record, at);
    const field = record.slice(at, end);
    const isQuoted = field.startsWith('"');
    if (isQuoted ? end < record.length && record[end] !== delimiter : field.includes('"')) {
      throw new RecordFault('a quotation mark stands where none may be', fields.length + 1);
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

/** Whether a quoted field is still open at the end of the text: quotes come in pairs otherwise. */
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

function endOfPlain(record: string, start: number): number {
  const end = record.indexOf(',', start);
  return end < 0 ? record.length : end;
}
