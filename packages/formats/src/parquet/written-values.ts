import { textOf } from '../bytes.ts';
import type { ColumnPages, ParquetType } from './column-pages.ts';
import { viewOf } from './words.ts';

/** Texts of a column that are kept, and their bytes; of a column with more none are known. */
const textsMax = 256;
export const keptBytesMax = 1 << 14;

/** A column of a row group. `dictionary`: its values as a dictionary page, if that is short. */
export interface NotedColumn extends Pick<ColumnPages, 'rowCount' | 'nullCount' | 'range'> {
  dictionary: Uint8Array | undefined;
}

/** Values in the columns of a file, noted while it is written. Other values do not occur; NULL is left aside. */
export class WrittenValues {
  readonly #texts = new Map<string, Set<string> | undefined>();
  readonly #ranges = new Map<string, { from: bigint; to: bigint }>();

  /** Adds the values of a column in a row group. */
  add(name: string, type: ParquetType, { rowCount, nullCount, range, dictionary }: NotedColumn): void {
    if (type === 'string') this.#addTexts(name, nullCount === rowCount ? new Uint8Array(0) : dictionary);
    else if (type === 'int' && range) this.#addRange(name, range);
  }

  /** Returns the distinct texts of a column, sorted; undefined if they are many, or unknown. */
  textsOf(name: string): string[] | undefined {
    const texts = this.#texts.get(name);
    return texts && [...texts].sort();
  }

  /** Returns the least and the greatest number of a column; undefined without a number. */
  rangeOf(name: string): { from: number; to: number } | undefined {
    const range = this.#ranges.get(name);
    return range && { from: Number(range.from), to: Number(range.to) };
  }

  #addTexts(name: string, written: Uint8Array | undefined): void {
    const known = this.#texts.get(name) ?? (this.#texts.has(name) ? undefined : new Set<string>());
    this.#texts.set(name, known);
    if (!known) return;
    if (written) for (const text of textsIn(written)) known.add(text);
    if (!written || known.size > textsMax) this.#texts.set(name, undefined);
  }

  #addRange(name: string, { least, greatest }: { least: Uint8Array; greatest: Uint8Array }): void {
    const [from, to] = [least, greatest].map((bytes) => viewOf(bytes).getBigInt64(0, true));
    const known = this.#ranges.get(name);
    if (from === undefined || to === undefined) return;
    this.#ranges.set(name, {
      from: known && known.from < from ? known.from : from,
      to: known && known.to > to ? known.to : to,
    });
  }
}

/** Reads the texts of a dictionary page: the length of each before it. */
function* textsIn(bytes: Uint8Array): Generator<string> {
  const view = viewOf(bytes);
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + view.getUint32(at, true);
    yield textOf(bytes, at + 4, end);
    at = end;
  }
}
