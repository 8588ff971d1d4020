import { ByteWriter, compareBytes, decimal, textOf } from '../bytes.ts';
import type { ColumnType } from '../tables/index.ts';
import { bytesOfTimes, Dictionary } from './dictionary.ts';
import { bitWidth, writePacked } from './packed-numbers.ts';
import { viewOf } from './words.ts';

/** Values of a column. Instants are `YYYY-MM-DD HH:MM:SS.ffffff` in UTC, days `YYYY-MM-DD`. */
export type ParquetType = ColumnType | 'timestamp';

export type NumberType = 'int' | 'float';

/** Column of a row group as pages, not yet compressed. They are valid until the next column is requested. */
export interface ColumnPages {
  rowCount: number;
  nullCount: number;
  /** Dictionary page of the data page; undefined when that holds the values themselves. */
  dictionary: { bytes: Uint8Array; count: number } | undefined;
  data: Uint8Array;
  /** Bounds of the values, unless they are long. */
  range: Range | undefined;
}

interface Range {
  least: Uint8Array;
  greatest: Uint8Array;
}

/** Maximum length of bounds: longer ones would make the footer large. */
const boundBytesMax = 64;

/** Average rows per value above which a dictionary replaces one value per row. */
export const rowsOfValueMax = 1.5;

/** Buffers that the next column reuses, so that pages are valid until then: new memory for each would be much garbage. */
const data = new ByteWriter(1 << 16);
const dictionaryBytes = new ByteWriter(1 << 12);
let scratch = new Int32Array(1 << 12);
let levels = new Int32Array(1 << 12);
let fractions = new Float64Array(1 << 12);

/** Encodes a column whose rows are indexes in `texts`; -1 is NULL. Numbers, booleans and times are there as text too. */
export function textPages(
  type: ParquetType,
  texts: Dictionary,
  places: Int32Array,
  rowCount: number,
): ColumnPages {
  const present = presentOf(places, rowCount);
  const nullCount = rowCount - present.count;
  data.length = 0;
  writeLevels(places, rowCount, nullCount);
  if (present.count === 0) return pagesOf(rowCount, nullCount);
  if (type === 'boolean') {
    writeBooleans(texts, present);
    return pagesOf(rowCount, nullCount);
  }
  const { bytes, range } = valuesOf(type, texts);
  // Values that mostly differ are shorter without a dictionary, unless each occurs in many rows.
  if (!texts.isExact && present.count < texts.count * rowsOfValueMax) {
    if (present.count === texts.count && isAscending(present)) data.slice(bytes, 0, bytes.length);
    else writeValues(type, texts, bytes, present);
    return pagesOf(rowCount, nullCount, range);
  }
  writePlaces(present, texts.count);
  return pagesOf(rowCount, nullCount, range, { bytes, count: texts.count });
}

/** Encodes a column of numbers; NaN is NULL. */
export function floatPages(numbers: Float64Array, type: NumberType = 'float'): ColumnPages {
  const rowCount = numbers.length;
  if (fractions.length < rowCount) fractions = new Float64Array(rowCount);
  if (scratch.length < rowCount) scratch = new Int32Array(rowCount);
  let count = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const value = numbers[row] as number;
    scratch[row] = Number.isNaN(value) ? -1 : count;
    if (!Number.isNaN(value)) fractions[count++] = value;
  }
  data.length = 0;
  writeLevels(scratch, rowCount, rowCount - count);
  if (count === 0) return pagesOf(rowCount, rowCount);
  const values = fractions.subarray(0, count);
  writeNumbers(data, type, values);
  return pagesOf(rowCount, rowCount - count, numberRange(type, values));
}

/** Encodes numbers that several rows share: rows are indexes of them; -1 is NULL. */
export function sharedFloatPages(
  numbers: Float64Array,
  places: Int32Array,
  rowCount: number,
  type: NumberType = 'float',
): ColumnPages {
  const present = presentOf(places, rowCount);
  const nullCount = rowCount - present.count;
  data.length = 0;
  writeLevels(places, rowCount, nullCount);
  if (present.count === 0) return pagesOf(rowCount, nullCount);
  writePlaces(present, numbers.length);
  const dictionary = { bytes: writtenNumbers(type, numbers), count: numbers.length };
  return pagesOf(rowCount, nullCount, numberRange(type, numbers), dictionary);
}

/** Returns the value of each row, from those of the texts. */
function writeValues(
  type: ParquetType,
  texts: Dictionary,
  bytes: Uint8Array,
  { places, count }: Present,
): void {
  const valueBytes = type === 'string' ? 0 : bytes.length / texts.count;
  for (let at = 0; at < count; at += 1) {
    const place = places[at] as number;
    if (valueBytes > 0) data.slice(bytes, place * valueBytes, (place + 1) * valueBytes);
    // With its length before it.
    else data.slice(bytes, texts.startOf(place) - 4, texts.endOf(place));
  }
}

/** Encodes the texts as the values of a type, in order. */
function valuesOf(type: ParquetType, texts: Dictionary): { bytes: Uint8Array; range: Range | undefined } {
  // Where most differ they are ids, whose bounds exclude no group from reading.
  if (type === 'string') return { bytes: texts.written, range: texts.isExact ? textRange(texts) : undefined };
  if (type === 'date' || type === 'timestamp') {
    const bytes = bytesOfTimes(type, texts);
    const valueBytes = bytes.length / texts.count;
    const at = (place: number): Uint8Array => bytes.slice(place * valueBytes, (place + 1) * valueBytes);
    // As text they are in the order of time.
    const { least, greatest } = extremes(texts);
    return { bytes, range: { least: at(least), greatest: at(greatest) } };
  }
  const numbers = numbersOf(texts);
  return { bytes: writtenNumbers(type, numbers), range: numberRange(type, numbers) };
}

/** Encodes a column with one text in all rows; NULL without one. */
export function samePages(text: string | undefined, rowCount: number): ColumnPages {
  data.length = 0;
  writeLevels(undefined, rowCount, text === undefined ? rowCount : 0);
  if (text === undefined) return pagesOf(rowCount, rowCount);
  // Numbers of no bits: all are 0.
  data.byte(0);
  data.variable(rowCount * 2);
  const texts = new Dictionary();
  texts.begin().text(text);
  texts.end();
  return pagesOf(rowCount, 0, textRange(texts), { bytes: texts.written, count: 1 });
}

/** Encodes a column of whole numbers without NULL. */
export function numberPages(numbers: Float64Array): ColumnPages {
  data.length = 0;
  writeLevels(undefined, numbers.length, 0);
  writeNumbers(data, 'int', numbers);
  return pagesOf(numbers.length, 0, numberRange('int', numbers));
}

function pagesOf(
  rowCount: number,
  nullCount: number,
  range?: ColumnPages['range'],
  dictionary?: ColumnPages['dictionary'],
): ColumnPages {
  return { rowCount, nullCount, range, dictionary, data: data.written };
}

/** Indexes without NULL. */
interface Present {
  places: Int32Array;
  count: number;
}

function presentOf(places: Int32Array, rowCount: number): Present {
  let first = 0;
  while (first < rowCount && (places[first] as number) >= 0) first += 1;
  if (first === rowCount) return { places, count: rowCount };
  if (scratch.length < rowCount) scratch = new Int32Array(rowCount);
  let count = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const place = places[row] as number;
    if (place >= 0) scratch[count++] = place;
  }
  return { places: scratch, count };
}

/** Returns whether the indexes are 0, 1, 2 … */
function isAscending({ places, count }: Present): boolean {
  for (let at = 0; at < count; at += 1) if (places[at] !== at) return false;
  return true;
}

/** Encodes indexes of values of a dictionary. */
function writePlaces({ places, count }: Present, valueCount: number): void {
  const width = bitWidth(valueCount);
  data.byte(width);
  writePacked(data, places, count, width);
}

/** Encodes definition levels: 1 for a value, 0 for NULL; their length precedes them. */
function writeLevels(places: Int32Array | undefined, rowCount: number, nullCount: number): void {
  data.uint32(0);
  const start = data.length;
  if (places && nullCount > 0 && nullCount < rowCount) {
    if (levels.length < rowCount) levels = new Int32Array(rowCount);
    for (let row = 0; row < rowCount; row += 1) levels[row] = (places[row] as number) < 0 ? 0 : 1;
    writePacked(data, levels, rowCount, 1);
  } else {
    data.variable(rowCount * 2);
    data.byte(nullCount === 0 ? 1 : 0);
  }
  const end = data.length;
  data.length = start - 4;
  data.uint32(end - start);
  data.length = end;
}

function writeBooleans(texts: Dictionary, { places, count }: Present): void {
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
  const numbers = new Float64Array(texts.count);
  const bytes = texts.written;
  for (let place = 0; place < texts.count; place += 1)
    numbers[place] = decimal(bytes, texts.startOf(place), texts.endOf(place));
  return numbers;
}

/** Writes eight bytes each, the least significant first. */
function writeNumbers(target: ByteWriter, type: ParquetType, numbers: Float64Array): void {
  target.reserve(numbers.length * 8);
  const view = viewOf(target.bytes);
  for (let index = 0, at = target.length; index < numbers.length; index += 1, at += 8) {
    const value = numbers[index] as number;
    if (type === 'float') view.setFloat64(at, value, true);
    else {
      view.setUint32(at, value, true);
      view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
    }
  }
  target.length += numbers.length * 8;
}

/** Encodes numbers as the values of a dictionary. */
function writtenNumbers(type: ParquetType, numbers: Float64Array): Uint8Array {
  dictionaryBytes.length = 0;
  writeNumbers(dictionaryBytes, type, numbers);
  return dictionaryBytes.written;
}

function numberRange(type: ParquetType, numbers: Float64Array): Range {
  let least = numbers[0] ?? 0;
  let greatest = least;
  for (let index = 1; index < numbers.length; index += 1) {
    least = Math.min(least, numbers[index] as number);
    greatest = Math.max(greatest, numbers[index] as number);
  }
  const bound = (value: number): Uint8Array => {
    const bytes = new ByteWriter(8);
    writeNumbers(bytes, type, Float64Array.of(value));
    return bytes.written;
  };
  return { least: bound(least), greatest: bound(greatest) };
}

function textRange(texts: Dictionary): Range | undefined {
  const { least, greatest } = extremes(texts);
  const range = { least: texts.at(least).slice(), greatest: texts.at(greatest).slice() };
  return Math.max(range.least.length, range.greatest.length) > boundBytesMax ? undefined : range;
}

/** Finds the first and the last text by their bytes. */
function extremes(texts: Dictionary): { least: number; greatest: number } {
  const bytes = texts.written;
  let least = 0;
  let greatest = 0;
  const compare = (left: number, right: number): number =>
    compareBytes(bytes, texts.startOf(left), texts.endOf(left), texts.startOf(right), texts.endOf(right));
  for (let place = 1; place < texts.count; place += 1) {
    if (compare(place, least) < 0) least = place;
    else if (compare(place, greatest) > 0) greatest = place;
  }
  return { least, greatest };
}
