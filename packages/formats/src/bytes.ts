const smallMax = 0x7fffffff;

/** Growable buffer in which rows are assembled. */
export class ByteWriter {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes room for this many further bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = value;
  }

  slice(source: Uint8Array, start: number, end: number): void {
    const { length } = this;
    if (length + end - start > this.bytes.length) this.reserve(end - start);
    const { bytes } = this;
    if (end - start > 48) bytes.set(source.subarray(start, end), length);
    else
      for (let index = start, at = length; index < end; index += 1, at += 1)
        bytes[at] = source[index] as number;
    this.length = length + end - start;
  }

  /** Writes letters in upper case. */
  upper(source: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    const { bytes, length } = this;
    for (let index = start; index < end; index += 1)
      bytes[length + index - start] = upperOf(source[index] as number);
    this.length = length + end - start;
  }

  /** Writes a whole number. */
  number(value: number): void {
    if (value > smallMax) this.number(Math.floor(value / 10));
    // Division of numbers of 31 bits is much faster.
    let rest = value > smallMax ? value % 10 : value | 0;
    let size = 1;
    for (let left = rest; left >= 10; left = (left / 10) | 0) size += 1;
    this.reserve(size);
    const { bytes, length } = this;
    for (let at = length + size - 1; at >= length; at -= 1) {
      const tenth = (rest / 10) | 0;
      bytes[at] = 48 + rest - tenth * 10;
      rest = tenth;
    }
    this.length = length + size;
  }

  /** Writes four bytes, the least significant first. */
  uint32(value: number): void {
    this.reserve(4);
    this.bytes[this.length++] = value;
    this.bytes[this.length++] = value >>> 8;
    this.bytes[this.length++] = value >>> 16;
    this.bytes[this.length++] = value >>> 24;
  }

  /** Writes a whole number in groups of seven bits, the least significant first (LEB128). */
  variable(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 128);
    this.byte(rest);
  }

  /** Frees the memory, which the garbage collector would do late. The writer is not used again. */
  release(): void {
    if (this.bytes.buffer instanceof ArrayBuffer) this.bytes.buffer.transfer(0);
  }

  /** Returns the written bytes, valid until the next write. */
  get written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  text(value: string): void {
    this.reserve(value.length * 3);
    this.length += encoder.encodeInto(value, this.bytes.subarray(this.length)).written;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}

/** Writes a text into memory, which has three bytes for each of its characters; returns the number of bytes. */
export function writeText(text: string, target: Uint8Array, at: number): number {
  return encoder.encodeInto(text, target.subarray(at)).written;
}

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Converts `a` … `z` to upper case, and returns other bytes unchanged. */
export function upperOf(byte: number): number {
  return byte >= 97 && byte <= 122 ? byte - 32 : byte;
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

const bases = new Uint8Array(256);
for (const letter of 'ACGTNRYSWKMBDHV') {
  bases[letter.charCodeAt(0)] = 1;
  bases[letter.toLowerCase().charCodeAt(0)] = 1;
}

/** Bases in upper case; for an ambiguity code, the base that is first in the alphabet (VCF 4.3 §1.6.1). */
const concrete = Uint8Array.from({ length: 256 }, (_, byte) => upperOf(byte));
for (const [code, base] of Object.entries({
  R: 'A',
  Y: 'C',
  S: 'C',
  W: 'A',
  K: 'G',
  M: 'A',
  B: 'C',
  D: 'A',
  H: 'A',
  V: 'A',
}))
  for (const letter of [code, code.toLowerCase()]) concrete[letter.charCodeAt(0)] = base.charCodeAt(0);

export function concreteBase(byte: number): number {
  return concrete[byte] as number;
}

/** Returns whether a byte is a base or an ambiguity code of IUPAC (VCF 4.3 §1.6.1), of either case. */
export function isBase(byte: number): boolean {
  return bases[byte] === 1;
}

export function equal(
  bytes: Uint8Array,
  start: number,
  end: number,
  other: Uint8Array,
  from = 0,
  to = other.length,
): boolean {
  if (end - start !== to - from) return false;
  for (let index = 0; index < end - start; index += 1) {
    if (bytes[start + index] !== other[from + index]) return false;
  }
  return true;
}

/** Compares two byte ranges: below, at or above 0. */
export function compareBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  from: number,
  to: number,
  other = bytes,
): number {
  const length = Math.min(end - start, to - from);
  for (let index = 0; index < length; index += 1) {
    const difference = (bytes[start + index] as number) - (other[from + index] as number);
    if (difference !== 0) return difference;
  }
  return end - start - (to - from);
}

/** Compares two strings by their bytes. */
export function compareTexts(left: Uint8Array, right: Uint8Array): number {
  return compareBytes(left, 0, left.length, 0, right.length, right);
}

/** Finds a byte between two places, as `indexOf` does; -1 without one. */
export function find(bytes: Uint8Array, byte: number, start: number, end: number): number {
  for (let index = start; index < end; index += 1) if (bytes[index] === byte) return index;
  return -1;
}

/** Reads a number such as `0.5` or `-1e-05` to the last digit; NaN for anything else. */
export function decimal(bytes: Uint8Array, start: number, end: number): number {
  return bytes[start] === 45 ? -magnitude(bytes, start + 1, end) : magnitude(bytes, start, end);
}

function magnitude(bytes: Uint8Array, start: number, end: number): number {
  // The first digits as a whole number of 31 bits, which is much faster.
  let few = 0;
  let value = 0;
  let exponent = 0;
  let digits = 0;
  let isFraction = false;
  let at = start;
  for (; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === 46 && !isFraction) {
      isFraction = true;
      continue;
    }
    if (byte < 48 || byte > 57) break;
    if (digits < 9) few = Math.imul(few, 10) + byte - 48;
    else value = (digits === 9 ? few : value) * 10 + byte - 48;
    digits += 1;
    if (isFraction) exponent -= 1;
  }
  if (digits <= 9) value = few;
  if (digits === 0) return Number.NaN;
  if (at < end && (bytes[at] === 101 || bytes[at] === 69)) {
    const power = exponentOf(bytes, at + 1, end);
    if (power === undefined) return Number.NaN;
    exponent += power;
    at = end;
  }
  if (at < end) return Number.NaN;
  // Both are exact then, so that one division rounds right (Clinger, "How to read floating point numbers accurately").
  if (digits <= 15 && exponent <= 0 && exponent > -tenPowers.length)
    // The negative of 0 is -0: an index that is no integer makes the compiler discard its code, each time.
    return value / (tenPowers[0 - exponent] as number);
  return Number(textOf(bytes, start, end));
}

const tenPowers = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

/** Reads an exponent such as `-05`; undefined for anything else. */
function exponentOf(bytes: Uint8Array, start: number, end: number): number | undefined {
  const isSigned = start < end && (bytes[start] === 45 || bytes[start] === 43);
  let value = 0;
  let at = isSigned ? start + 1 : start;
  const count = end - at;
  for (; at < end && isDigit(bytes[at]); at += 1) value = value * 10 + (bytes[at] as number) - 48;
  if (at < end || count === 0 || count > 4) return undefined;
  return bytes[start] === 45 ? -value : value;
}

/** Copies numbers into an array of twice the size. */
export function grown(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** Concatenates byte arrays. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
