/**
 * Number of bytes that are compared at a time. The last ones may overlap those before them; shorter texts are compared byte by
 * byte.
 */
const wordBytes = 4;

/** Returns a view by which several bytes are read at once. It ends with the array. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/**
 * Returns a view to the end of the memory. Arrays of one start share it, such as lines that are written into one room. Its length
 * is not that of an array. `known`: view that is returned where it is one of the same start.
 */
export function roomOf({ buffer, byteOffset }: Uint8Array, known: DataView): DataView {
  // A detached memory has no offsets: they are read of the present one alone.
  const isSame = (): boolean => known.buffer === buffer && known.byteOffset === byteOffset;
  const isWhole = (): boolean => known.byteOffset + known.byteLength === buffer.byteLength;
  return isSame() && isWhole() ? known : new DataView(buffer, byteOffset);
}

/** Computes a hash with good highest bits (multiplication carries upwards only, the shift brings the result down). */
export function hashOf(view: DataView, start: number, size: number): number {
  let hash = size;
  if (size < wordBytes) {
    for (let at = start; at < start + size; at += 1) hash = mixed(hash, view.getUint8(at));
    return hash;
  }
  const last = start + size - wordBytes;
  for (let at = start; at < last; at += wordBytes) hash = mixed(hash, view.getInt32(at, true));
  return mixed(hash, view.getInt32(last, true));
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}

/** Returns whether two texts of this size are equal. */
export function areEqual(
  left: DataView,
  leftStart: number,
  right: DataView,
  rightStart: number,
  size: number,
): boolean {
  if (size < wordBytes) {
    for (let at = 0; at < size; at += 1)
      if (left.getUint8(leftStart + at) !== right.getUint8(rightStart + at)) return false;
    return true;
  }
  const last = size - wordBytes;
  for (let at = 0; at < last; at += wordBytes)
    if (left.getInt32(leftStart + at, true) !== right.getInt32(rightStart + at, true)) return false;
  return left.getInt32(leftStart + last, true) === right.getInt32(rightStart + last, true);
}

/** Compares two texts by their bytes: below, at or above 0. */
export function compareWords(
  left: DataView,
  leftStart: number,
  leftEnd: number,
  right: DataView,
  rightStart: number,
  rightEnd: number,
): number {
  const size = Math.min(leftEnd - leftStart, rightEnd - rightStart);
  let at = 0;
  for (; at + wordBytes <= size; at += wordBytes) {
    const difference = left.getUint32(leftStart + at) - right.getUint32(rightStart + at);
    if (difference !== 0) return difference;
  }
  for (; at < size; at += 1) {
    const difference = left.getUint8(leftStart + at) - right.getUint8(rightStart + at);
    if (difference !== 0) return difference;
  }
  return leftEnd - leftStart - (rightEnd - rightStart);
}
