import { InputError } from '../input-error.ts';

/** Flags of a record (SAM spec §1.4). */
export const recordFlags = { paired: 1, unmapped: 4 } as const;

/** Bytes of a record before its name, its own length not counted (SAM spec §4.2). */
const fixedBytes = 32;
/** Maximum length of a record. The stated length may exceed any memory; the longest known reads need some 10 MB. */
export const recordBytesMax = 64 * 1024 * 1024;

/** Fields of one record that indexing and counting need. One object serves all records: each fills it anew. */
export class BamRecord {
  /** −1: none. */
  referenceId = -1;
  /** Position from 0; −1: none. */
  position = -1;
  /** End on the reference: after the last base that the read covers, at least one after its position. */
  end = 0;
  flags = 0;
  /** Bases of the read. */
  baseCount = 0;
  /** Start of the optional fields in the bytes of the record. */
  fieldsStart = 0;
  fieldsEnd = 0;

  /** Reads the record whose bytes, without the length in front of them, are `[start, end)`. Throws `InputError`. */
  read(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    if (end - start < fixedBytes) throw damaged();
    const nameBytes = bytes[start + 8] as number;
    const operationCount = view.getUint16(start + 12, true);
    this.referenceId = view.getInt32(start, true);
    this.position = view.getInt32(start + 4, true);
    this.flags = view.getUint16(start + 14, true);
    this.baseCount = view.getInt32(start + 16, true);
    const operations = start + fixedBytes + nameBytes;
    this.fieldsStart = operations + operationCount * 4 + ((this.baseCount + 1) >> 1) + this.baseCount;
    this.fieldsEnd = end;
    if (nameBytes < 1 || this.baseCount < 0 || this.fieldsStart > end) throw damaged();
    const isUnmapped = (this.flags & recordFlags.unmapped) !== 0;
    const covered = isUnmapped ? 1 : coveredBases(view, operations, operationCount);
    this.end = this.position + Math.max(1, covered);
  }

  /**
   * Finds the value of a text field (`RG:Z:…`) by the two letters of its name; start and end are 0 for an absent one. Invalid fields
   * end the search: indexing tolerates their damage (SAM spec §4.2.4).
   */
  findText(bytes: Uint8Array, view: DataView, name: string): { start: number; end: number } {
    const [first, second] = [name.charCodeAt(0), name.charCodeAt(1)];
    let at = this.fieldsStart;
    while (at + 4 <= this.fieldsEnd) {
      const isWanted = bytes[at] === first && bytes[at + 1] === second;
      const type = bytes[at + 2] as number;
      const next = fieldEnd(bytes, view, at + 3, type, this.fieldsEnd);
      if (next < 0) break;
      if (isWanted && type === 0x5a) {
        found.start = at + 3;
        found.end = next - 1;
        return found;
      }
      at = next;
    }
    found.start = 0;
    found.end = 0;
    return found;
  }
}

/** Result that each search reuses: one object each would be many millions. */
const found = { start: 0, end: 0 };

/** M, D, N, = and X consume the reference (SAM spec §1.4.6): bits by number of the operation. */
const consuming = 0b110001101;

function coveredBases(view: DataView, start: number, count: number): number {
  let bases = 0;
  for (let at = start, end = start + count * 4; at < end; at += 4) {
    const operation = view.getUint32(at, true);
    if ((consuming >> (operation & 15)) & 1) bases += operation >>> 4;
  }
  return bases;
}

/** Returns the end of the field whose value starts at `at`; −1 if it is invalid. */
function fieldEnd(bytes: Uint8Array, view: DataView, at: number, type: number, limit: number): number {
  if (type === 0x5a || type === 0x48) {
    for (let end = at; end < limit; end += 1) if (bytes[end] === 0) return end + 1;
    return -1;
  }
  if (type !== 0x42) return at + (sizes[type] ?? Number.NaN) <= limit ? at + (sizes[type] ?? 0) : -1;
  if (at + 5 > limit) return -1;
  const end = at + 5 + view.getUint32(at + 1, true) * (sizes[bytes[at] as number] ?? Number.NaN);
  return end <= limit ? end : -1;
}

/** Bytes of a value by the letter of its type: A, c, C, s, S, i, I, f. */
const sizes: Readonly<Record<number, number>> = {
  65: 1,
  99: 1,
  67: 1,
  115: 2,
  83: 2,
  105: 4,
  73: 4,
  102: 4,
};

const damaged = (): InputError => new InputError('The record is damaged: its fields exceed its length.');
