import duckdb, { type Vector } from '@duckdb/node-bindings';
import { bytesOf, isValid, type Validity } from './memory.ts';

/** Texts of up to this many bytes are in the vector itself; of longer ones it holds the address (`duckdb_string_t`). */
const inlineMaxBytes = 12;
/** The engine's allocator aligns to so many bytes. */
const alignment = 8;

/**
 * Returns Arrow's two buffers of a vector of texts or bytes: their ends, and all bytes in order. Texts that the engine keeps in
 * order are read with one call: a call for each needs six times as long as the rest.
 */
export function textBuffers(vector: Vector, rows: number, validity: Validity): Uint8Array[] {
  const ends = new Int32Array(rows + 1);
  if (rows === 0) return [bytesOf(ends), new Uint8Array(0)];
  const views = duckdb.vector_get_data(vector, rows * 16);
  const words = new Uint32Array(views.buffer, views.byteOffset, rows * 4);
  let size = 0;
  for (let row = 0; row < rows; row += 1) {
    if (isValid(validity, row)) size += words[row * 4] ?? 0;
    ends[row + 1] = size;
  }
  const bytes = new Uint8Array(size);
  let run: Run | undefined;
  for (let row = 0; row < rows; row += 1) {
    const from = ends[row] ?? 0;
    const length = (ends[row + 1] ?? 0) - from;
    if (length === 0) continue;
    if (length <= inlineMaxBytes) {
      copyShort(views, row * 16 + 4, length, bytes, from);
      continue;
    }
    const address = addressOf(words, row);
    if (!run || address < run.start || address + length > run.end) run = runFrom(views, words, ends, row);
    copy(run.bytes, address - run.start, length, bytes, from);
  }
  return [bytesOf(ends), bytes];
}

/** Memory of the engine that holds texts without a gap. */
interface Run {
  start: number;
  end: number;
  bytes: Uint8Array;
}

const addressOf = (words: Uint32Array, row: number): number =>
  (words[row * 4 + 2] ?? 0) + (words[row * 4 + 3] ?? 0) * 2 ** 32;

/** Reads a text and those behind it that follow in memory. */
function runFrom(views: Uint8Array, words: Uint32Array, ends: Int32Array, first: number): Run {
  const start = addressOf(words, first);
  let end = start;
  for (let row = first; row + 1 < ends.length; row += 1) {
    const length = (ends[row + 1] ?? 0) - (ends[row] ?? 0);
    if (length <= inlineMaxBytes) continue;
    const address = addressOf(words, row);
    if (address < end || address - end >= alignment) {
      if (row > first) break;
    }
    end = address + length;
  }
  const place = views.byteOffset + first * 16 + 8;
  return { start, end, bytes: duckdb.get_data_from_pointer(views.buffer as ArrayBuffer, place, end - start) };
}

/** Maximum bytes for which a loop is faster than a call. */
function copyShort(from: Uint8Array, at: number, length: number, to: Uint8Array, offset: number): void {
  for (let index = 0; index < length; index += 1) to[offset + index] = from[at + index] ?? 0;
}

function copy(from: Uint8Array, at: number, length: number, to: Uint8Array, offset: number): void {
  if (length <= 64) copyShort(from, at, length, to, offset);
  else to.set(from.subarray(at, at + length), offset);
}
