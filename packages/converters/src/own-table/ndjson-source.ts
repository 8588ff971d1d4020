import {
  hasBackslashInKey,
  keepDigits,
  kindOf,
  memberCount,
  RecordFault,
  RecordReader,
  replaceUnstorable,
  requireColumnCount,
} from '@ploidy/formats';
import { readSource } from '../decompressed-source.ts';
import type { RowSource, RowTaker } from './row-source.ts';

type Values = Record<string, unknown>;

/** Lines with a JSON object each. Its keys are the titles; lists and objects are kept as JSON text. */
export class NdjsonSource implements RowSource {
  readonly titles: string[] = [];
  readonly textColumns = new Set<number>();
  readonly #path: string;
  readonly #places = new Map<string, number>();

  constructor(path: string) {
    this.#path = path;
  }

  async read(taker: RowTaker, onRead: (bytes: number) => void): Promise<void> {
    const reader = new RecordReader('\n', 0, {
      record: ([text = ''], line) => taker.row(this.#cellsOf(objectIn(text), line), line),
      fault: (fault, line) => taker.fault(fault, line),
    });
    for await (const chunk of readSource(this.#path, { onRead })) reader.add(chunk);
    reader.end();
  }

  #cellsOf(values: Values, line: number): (string | undefined)[] {
    const cells: (string | undefined)[] = Array.from({ length: this.titles.length });
    for (const [title, value] of Object.entries(values)) {
      const place = this.#placeOf(title, line);
      const text = textOf(value);
      cells[place] = text;
      // Only dates have no other form in JSON than text.
      if (text !== undefined && typeof value === 'string' && kindOf(text) !== 'date')
        this.textColumns.add(place);
    }
    return cells;
  }

  #placeOf(title: string, line: number): number {
    const known = this.#places.get(title);
    if (known !== undefined) return known;
    requireColumnCount(this.titles.length + 1, line);
    this.#places.set(title, this.titles.length);
    return this.titles.push(title) - 1;
  }
}

/** Parses an object whose numbers keep their digits. */
function objectIn(text: string): Values {
  if (hasBackslashInKey(text))
    throw new RecordFault('a key holds a backslash: rename it', undefined, { isOfFile: true });
  let value: unknown;
  try {
    value = JSON.parse(text, keepDigits);
  } catch {
    throw new RecordFault('it is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || JSON.isRawJSON(value))
    throw new RecordFault('a JSON object is needed');
  // The parser keeps the last of several values under one key.
  if (memberCount(text) > keyCount(value)) throw new RecordFault('a key is repeated');
  if (replaceUnstorable(text) !== text)
    throw new RecordFault('a string holds NUL or an unpaired surrogate, which a table cannot store');
  return value as Values;
}

/** Counts the keys of an object and of its content. */
function keyCount(value: object): number {
  const open: unknown[] = [value];
  let count = 0;
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null || JSON.isRawJSON(one)) continue;
    const members = Object.values(one);
    if (!Array.isArray(one)) count += members.length;
    for (const member of members) open.push(member);
  }
  return count;
}

/** An exponent without sign: a JSON number is no code. */
const bareExponent = /^(\d+)[eE](?=\d)/;

function textOf(value: unknown): string | undefined {
  if (value === null || value === '') return undefined;
  if (typeof value === 'string') return value.trim() || undefined;
  const text = JSON.stringify(value);
  return JSON.isRawJSON(value) ? text.replace(bareExponent, '$1e+') : text;
}
