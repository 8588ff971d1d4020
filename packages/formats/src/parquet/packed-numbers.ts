import type { ByteWriter } from '../bytes.ts';

/** Minimum run of equal numbers that is encoded as a run. */
const runMin = 16;

/** Returns the bits that the numbers below `count` need. */
export function bitWidth(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1);
}

/**
 * Encodes small numbers as Parquet's mixture of runs and bit-packed groups of eight (its "RLE/bit-packing hybrid"); `width` at
 * most 24.
 */
export function writePacked(target: ByteWriter, numbers: Int32Array, count: number, width: number): void {
  for (let at = 0; at < count; ) {
    const runEnd = endOfRun(numbers, at, count);
    if (runEnd - at >= runMin || runEnd === count) {
      target.variable((runEnd - at) * 2);
      for (let bits = 0; bits < width; bits += 8) target.byte((numbers[at] as number) >>> bits);
      at = runEnd;
    } else at = writeGroups(target, numbers, at, count, width);
  }
}

function endOfRun(numbers: Int32Array, start: number, count: number): number {
  const value = numbers[start];
  let at = start + 1;
  while (at < count && numbers[at] === value) at += 1;
  return at;
}

/** Writes groups of eight up to the beginning of a run; returns that index. The last group is padded with zeros. */
function writeGroups(
  target: ByteWriter,
  numbers: Int32Array,
  start: number,
  count: number,
  width: number,
): number {
  let end = start;
  do end += 8;
  while (end < count && !startsRun(numbers, end, count));
  const groups = (end - start) >> 3;
  target.variable(groups * 2 + 1);
  target.reserve(groups * width);
  const { bytes } = target;
  let { length } = target;
  let bits = 0;
  let buffer = 0;
  for (let at = start; at < end; at += 1) {
    buffer |= (at < count ? (numbers[at] as number) : 0) << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      bytes[length++] = buffer;
      buffer >>>= 8;
    }
  }
  target.length = length;
  return Math.min(end, count);
}

function startsRun(numbers: Int32Array, start: number, count: number): boolean {
  const end = start + runMin;
  if (end > count) return false;
  const value = numbers[start];
  for (let at = start + 1; at < end; at += 1) if (numbers[at] !== value) return false;
  return true;
}
