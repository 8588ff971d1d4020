/**
 * Place in the uncompressed bytes of a BGZF file: start of its block in the file, times 65,536, plus its offset in the block's
 * uncompressed bytes (SAM spec §4.1.1). A number is exact up to 2^53, which is a file of 128 GiB.
 */
export type VirtualOffset = number;

const withinBytes = 65_536;

/** The largest file in which every virtual offset is an exact number. */
export const bgzfFileBytesMax = 2 ** 53 / withinBytes;

export function virtualOffset(blockStart: number, within: number): VirtualOffset {
  return blockStart * withinBytes + within;
}

/** Returns the start of the block in the file. */
export function blockStartOf(offset: VirtualOffset): number {
  return Math.floor(offset / withinBytes);
}

/** Returns the place in the block's uncompressed bytes. */
export function withinBlock(offset: VirtualOffset): number {
  return offset % withinBytes;
}

/** Reads the eight little-endian bytes in which indexes keep virtual offsets. */
export function readVirtualOffset(view: DataView, at: number): VirtualOffset {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

export function writeVirtualOffset(view: DataView, at: number, offset: VirtualOffset): void {
  view.setUint32(at, offset % 2 ** 32, true);
  view.setUint32(at + 4, Math.floor(offset / 2 ** 32), true);
}
