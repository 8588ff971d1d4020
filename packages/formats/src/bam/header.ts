import { referencesMax } from '../binning/reference-names.ts';
import { InputError } from '../input-error.ts';

/** A reference sequence as the binary header has it. */
export interface BamReference {
  name: string;
  length: number;
}

/** Content of a BAM file before its first record (SAM spec §4.2). */
export interface BamHeader {
  /** The SAM header. */
  text: string;
  /** References in the order of their ids. */
  references: BamReference[];
  /** Uncompressed bytes: the first record begins here. */
  size: number;
}

/** Maximum header: `referencesMax` sequences with their checksums, more than any real file has. */
const bamHeaderBytesMax = 128 * 1024 * 1024;
/** Maximum bytes of a name with its end; real names have some dozens. */
const nameBytesMax = 64 * 1024;

/** Returns whether uncompressed bytes start with the magic of BAM. */
export function isBam(bytes: Uint8Array): boolean {
  return bytes[0] === 0x42 && bytes[1] === 0x41 && bytes[2] === 0x4d && bytes[3] === 1;
}

/** Minimum length of a header, from its start. */
export interface ShortHeader {
  /** Bytes that are needed to continue. */
  bytesNeeded: number;
}

/**
 * Reads the header from the first uncompressed bytes of a BAM; when they do not suffice, returns how many are needed to
 * continue. Throws `InputError` for anything but a BAM.
 */
export function readBamHeader(bytes: Uint8Array): BamHeader | ShortHeader {
  if (bytes.length < 12) return { bytesNeeded: 12 };
  if (!isBam(bytes)) throw new InputError('The file is compressed like a BAM (BGZF), but is not a BAM.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const textBytes = view.getInt32(4, true);
  checkSize(textBytes);
  const listStart = 8 + textBytes + 4;
  if (bytes.length < listStart) return { bytesNeeded: listStart };
  const count = view.getInt32(8 + textBytes, true);
  // A reference has at least nine bytes: the length of its name, an empty name's end, its own length.
  checkSize(count < 0 ? count : listStart + count * 9);
  if (count > referencesMax) throw new InputError(`The header lists more than ${referencesMax} sequences.`);
  const size = endOfList(bytes, view, listStart, count);
  if (typeof size !== 'number') return size;
  const references: BamReference[] = [];
  for (let at = listStart; at < size; ) {
    const end = endOfReference(view, at);
    references.push({
      name: untilZero(bytes.subarray(at + 4, end - 4)),
      length: view.getInt32(end - 4, true),
    });
    at = end;
  }
  return { text: headerText(bytes.subarray(8, 8 + textBytes)), references, size };
}

/**
 * Returns the end of the list of references, or the bytes needed if it is incomplete. It is read from its start each time:
 * entries are built only once all are complete, and the requested size grows with the missing part.
 */
function endOfList(
  bytes: Uint8Array,
  view: DataView,
  listStart: number,
  count: number,
): number | ShortHeader {
  let at = listStart;
  for (let id = 0; id < count; id += 1) {
    const rest = (count - id - 1) * 9;
    if (bytes.length < at + 4) return { bytesNeeded: at + 4 + rest };
    const end = endOfReference(view, at);
    checkSize(end);
    if (bytes.length < end) return { bytesNeeded: end + rest };
    if (view.getInt32(end - 4, true) < 0) throw damaged();
    at = end;
  }
  return at;
}

function endOfReference(view: DataView, at: number): number {
  const nameBytes = view.getInt32(at, true);
  if (nameBytes < 1 || nameBytes > nameBytesMax) throw damaged();
  return at + 4 + nameBytes + 4;
}

function checkSize(bytes: number): void {
  if (bytes < 0 || bytes > bamHeaderBytesMax) throw damaged();
}

const damaged = (): InputError => new InputError('The header of the BAM is damaged.');

const decoder = new TextDecoder();

/** Decodes the text, which may be padded with zeros. */
function headerText(bytes: Uint8Array): string {
  return untilZero(bytes);
}

function untilZero(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}
