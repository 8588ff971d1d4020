import { ByteWriter, compareBytes, textOf } from '../bytes.ts';
import type { ColumnType } from '../tables/index.ts';
import type { Dictionary } from './dictionary.ts';
import { bitWidth, writePacked } from './packed-numbers.ts';

/** One column of a row group as pages, not yet compressed. */
export interface ColumnPages {
  rowCount: number;
  nullCount: number;
  /** The page of values that the data page refers to; undefined when that holds the values themselves. */
  dictionary: { bytes: Uint8Array; count: number } | undefined;
  data: Uint8Array;
  /** Bounds of the values; not of columns whose values hardly ever repeat. */
  range: Range | undefined;
}

interface Range {
  least: Uint8Array;
  greatest: Uint8Array;
}

/** Longer bounds would make the footer large. */
const boundBytesMax = 64;

/** A column whose rows are places in `texts`; -1 is NULL. Numbers and booleans stand there as text too. */
export function textPages(
  type: ColumnType,
  texts: Dictionary,
  places: Int32Array,
  rowCount: number,
): ColumnPages {
  const present = presentOf(places, rowCount);
  const nullCount = rowCount - present.count;
  const data = new ByteWriter(1 << 10);
  writeLevels(data, places, rowCount, nullCount);
  const pages = { rowCount, nullCount, dictionary: undefined, range: undefined };
  if (type === 'boolean') {
    writeBooleans(data, texts, present);
    return { ...pages, data: data.copy() };
  }
  if (present.count === 0) return { ...pages, data: data.copy() };
  const numbers = type === 'string' ? undefined : numbersOf(texts);
  const values = numbers ? bytesOfNumbers(type, numbers) : texts.values.copy();
  // Values that all differ are shorter without numbers that refer to them.
  if (!texts.isExact && present.isAscending && present.count === texts.count) {
    data.slice(values, 0, values.length);
    return { ...pages, data: data.copy() };
  }
  const width = bitWidth(texts.count);
  data.byte(width);
  writePacked(data, present.places, present.count, width);
  return {
    ...pages,
    dictionary: { bytes: values, count: texts.count },
    data: data.copy(),
    range: numbers ? numberRange(type, numbers) : textRange(texts),
  };
}

/** A column of whole numbers without NULL. */
export function numberPages(numbers: Float64Array): ColumnPages {
  const data = new ByteWriter(numbers.length * 8 + 16);
  writeLevels(data, undefined, numbers.length, 0);
  const values = bytesOfNumbers('int', numbers);
  data.slice(values, 0, values.length);
  const range = numberRange('int', numbers);
  return { rowCount: numbers.length, nullCount: 0, dictionary: undefined, data: data.copy(), range };
}

/** The places without NULL. */
interface Present {
  places: Int32Array;
  count: number;
  /** Whether they are 0, 1, 2 … */
  isAscending: boolean;
}

function presentOf(places: Int32Array, rowCount: number): Present {
  const present = new Int32Array(rowCount);
  let count = 0;
  let isAscending = true;
  for (let row = 0; row < rowCount; row += 1) {
    const place = places[row] as number;
    if (place < 0) continue;
    isAscending &&= place === count;
    present[count++] = place;
  }
  return { places: present, count, isAscending };
}

/** Definition levels: 1 for a value, 0 for NULL; their length stands before them. */
function writeLevels(
  data: ByteWriter,
  places: Int32Array | undefined,
  rowCount: number,
  nullCount: number,
): void {
  const levels = new Int32Array(rowCount);
  if (nullCount === 0) levels.fill(1);
  else if (places && nullCount < rowCount)
    for (let row = 0; row < rowCount; row += 1) levels[row] = (places[row] as number) < 0 ? 0 : 1;
  const packed = new ByteWriter(64);
  writePacked(packed, levels, rowCount, 1);
  data.uint32(packed.length);
  data.slice(packed.bytes, 0, packed.length);
}

function writeBooleans(data: ByteWriter, texts: Dictionary, { places, count }: Present): void {
  const isTrue = Array.from({ length: texts.count }, (_, place) => textAt(texts, place) === 'true');
  for (let at = 0; at < count; at += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8 && at + bit < count; bit += 1)
      if (isTrue[places[at + bit] as number]) byte |= 1 << bit;
    data.byte(byte);
  }
}

function textAt(texts: Dictionary, place: number): string {
  const bytes = texts.at(place);
  return textOf(bytes, 0, bytes.length);
}

function numbersOf(texts: Dictionary): Float64Array {
  return Float64Array.from({ length: texts.count }, (_, place) => Number(textAt(texts, place)));
}

/** Eight bytes each, the least significant first. */
function bytesOfNumbers(type: ColumnType, numbers: Float64Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(numbers.length * 8));
  for (let index = 0; index < numbers.length; index += 1) {
    const value = numbers[index] as number;
    if (type === 'float') view.setFloat64(index * 8, value, true);
    else {
      view.setUint32(index * 8, value, true);
      view.setUint32(index * 8 + 4, Math.floor(value / 2 ** 32), true);
    }
  }
  return new Uint8Array(view.buffer);
}

function numberRange(type: ColumnType, numbers: Float64Array): Range {
  let [least, greatest] = [numbers[0] ?? 0, numbers[0] ?? 0];
  for (const value of numbers) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  const bound = (value: number): Uint8Array => bytesOfNumbers(type, Float64Array.of(value));
  return { least: bound(least), greatest: bound(greatest) };
}

function textRange(texts: Dictionary): Range | undefined {
  if (!texts.isExact) return undefined;
  let [least, greatest] = [texts.at(0), texts.at(0)];
  for (let place = 1; place < texts.count; place += 1) {
    const text = texts.at(place);
    if (compareBytes(text, least) < 0) least = text;
    else if (compareBytes(text, greatest) > 0) greatest = text;
  }
  if (Math.max(least.length, greatest.length) > boundBytesMax) return undefined;
  return { least: least.slice(), greatest: greatest.slice() };
}
