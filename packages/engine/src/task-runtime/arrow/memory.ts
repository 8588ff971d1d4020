import duckdb, { type Vector } from '@duckdb/node-bindings';

/** Bitmap of the rows that have a value; absent if all have. */
export type Validity = Uint8Array | undefined;

/** Returns a copy without the bits behind the last row, or nothing if every row has a value. */
export function validityOf(vector: Vector, rows: number): Validity {
  if (rows === 0) return undefined;
  const bits = duckdb.vector_get_validity(vector, Math.ceil(rows / 64) * 8);
  if (!bits) return undefined;
  const copy = Uint8Array.from(bits.subarray(0, Math.ceil(rows / 8)));
  const rest = rows % 8;
  if (rest > 0) copy[copy.length - 1] = (copy.at(-1) ?? 0) & ((1 << rest) - 1);
  return copy;
}

/** Returns whether a row has a value. */
export const isValid = (validity: Validity, row: number): boolean =>
  !validity || (((validity[row >> 3] ?? 0) >> (row & 7)) & 1) === 1;

/** Returns the bytes of numbers, which are not copied. */
export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}
