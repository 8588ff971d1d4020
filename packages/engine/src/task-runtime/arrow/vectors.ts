import duckdb, { type Vector } from '@duckdb/node-bindings';
import type { ResultType } from '../../result-type.ts';
import { bytesOf, isValid, type Validity, validityOf } from './memory.ts';
import { decimalOf, entriesOf, type FieldNode, integers, timestampUnits } from './messages.ts';
import { textBuffers } from './texts.ts';

/** Buffers of a batch in the order of Arrow, and rows and NULLs of each column. Some are the engine's own memory. */
export interface Batch {
  nodes: FieldNode[];
  buffers: Uint8Array[];
}

/** Adds the rows of a vector of the engine to a batch; numbers have the same bytes in both. */
export function addVector(batch: Batch, vector: Vector, type: ResultType, rows: number): void {
  const validity = validityOf(vector, rows);
  batch.nodes.push({ rows, nulls: validity ? rows - countBits(validity) : 0 });
  batch.buffers.push(validity ?? new Uint8Array(0));
  switch (type.kind) {
    case 'struct':
      for (const [index, field] of type.fields.entries())
        addVector(batch, duckdb.struct_vector_get_child(vector, index), field.type, rows);
      return;
    case 'list':
    case 'map': {
      const ends = listEnds(vector, rows, validity);
      batch.buffers.push(bytesOf(ends));
      const item = type.kind === 'list' ? type.item : entriesOf(type);
      addVector(batch, duckdb.list_vector_get_child(vector), item, ends[rows] ?? 0);
      return;
    }
    case 'plain':
    case 'other':
      batch.buffers.push(...plainBuffers(vector, type.name, rows, validity));
  }
}

function plainBuffers(vector: Vector, typeName: string, rows: number, validity: Validity): Uint8Array[] {
  if (typeName === 'VARCHAR' || typeName === 'BLOB') return textBuffers(vector, rows, validity);
  if (typeName === 'BOOLEAN') return [packBits(duckdb.vector_get_data(vector, rows))];
  const decimal = decimalOf(typeName);
  if (decimal) return [decimalBuffer(vector, decimal.precision, rows)];
  return [duckdb.vector_get_data(vector, rows * bytesPerRow(typeName))];
}

function bytesPerRow(typeName: string): number {
  const integer = integers.get(typeName);
  if (integer) return integer.bits / 8;
  if (timestampUnits.has(typeName)) return 8;
  const size = new Map([
    ['FLOAT', 4],
    ['DATE', 4],
    ['DOUBLE', 8],
    ['TIME', 8],
  ]).get(typeName);
  if (size === undefined) throw new Error(`Arrow has no form for ${typeName}`);
  return size;
}

function countBits(bytes: Uint8Array): number {
  let count = 0;
  for (let byte of bytes) for (; byte > 0; byte &= byte - 1) count += 1;
  return count;
}

function packBits(flags: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  for (const [row, flag] of flags.entries())
    if (flag) bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
  return bits;
}

/** Builds the buffer of a DECIMAL: the engine stores it in the smallest integer that holds it; Arrow has 128 bits for each. */
function decimalBuffer(vector: Vector, precision: number, rows: number): Uint8Array {
  if (precision > 18) return duckdb.vector_get_data(vector, rows * 16);
  const size = precision > 9 ? 8 : precision > 4 ? 4 : 2;
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, rows * size);
  const wide = new BigInt64Array(rows * 2);
  if (size === 8) {
    const narrow = new BigInt64Array(buffer, byteOffset, rows);
    for (const [row, value] of narrow.entries()) {
      wide[row * 2] = value;
      wide[row * 2 + 1] = value < 0n ? -1n : 0n;
    }
    return bytesOf(wide);
  }
  const narrow =
    size === 4 ? new Int32Array(buffer, byteOffset, rows) : new Int16Array(buffer, byteOffset, rows);
  const words = new Int32Array(wide.buffer);
  for (const [row, value] of narrow.entries()) words.fill(value >> 31, row * 4, row * 4 + 4)[row * 4] = value;
  return bytesOf(wide);
}

/** Ends of the lists of a vector: the engine keeps them one behind the other, and so does Arrow. */
function listEnds(vector: Vector, rows: number, validity: Validity): Int32Array {
  const ends = new Int32Array(rows + 1);
  if (rows === 0) return ends;
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, rows * 16);
  const entries = new BigUint64Array(buffer, byteOffset, rows * 2);
  let end = 0;
  for (let row = 0; row < rows; row += 1) {
    if (isValid(validity, row)) {
      if (Number(entries[row * 2]) !== end && entries[row * 2 + 1] !== 0n)
        throw new Error('the lists of a vector are not in order');
      end += Number(entries[row * 2 + 1]);
    }
    ends[row + 1] = end;
  }
  return ends;
}
