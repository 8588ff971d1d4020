import { blockStartOf, readVirtualOffset } from '../bgzf/virtual-offset.ts';
import { pseudoBin } from './bin-chunks.ts';

/** Parts of an index that identify its file, with any program that built it. */
interface IndexOutline {
  references: { firstBlock: number; mapped: number | undefined; unmapped: number | undefined }[];
  unplaced: number | undefined;
}

/**
 * Returns whether an index can belong to the file from which `built` was made: equal references with equal counts, if present,
 * starting in equal blocks. False for invalid indexes.
 */
export function isIndexOf(index: Uint8Array, built: Uint8Array): boolean {
  const given = outlineOf(index);
  const own = outlineOf(built);
  if (!given || !own || given.references.length !== own.references.length) return false;
  const differs = (a: number | undefined, b: number | undefined): boolean => a !== undefined && a !== b;
  return (
    !differs(given.unplaced, own.unplaced) &&
    given.references.every((reference, id) => {
      const other = own.references[id];
      if (!other) return false;
      return (
        reference.firstBlock === other.firstBlock &&
        !differs(reference.mapped, other.mapped) &&
        !differs(reference.unmapped, other.unmapped)
      );
    })
  );
}

function outlineOf(bytes: Uint8Array): IndexOutline | undefined {
  try {
    return readOutline(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reading behind the end throws a RangeError. */
function readOutline(bytes: Uint8Array): IndexOutline | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== 0x01494142) return undefined;
  const references: IndexOutline['references'] = [];
  const count = view.getUint32(4, true);
  let at = 8;
  for (let id = 0; id < count; id += 1) {
    const reference: IndexOutline['references'][number] = {
      firstBlock: -1,
      mapped: undefined,
      unmapped: undefined,
    };
    const bins = view.getUint32(at, true);
    at += 4;
    for (let index = 0; index < bins; index += 1) at = readBin(view, at, reference);
    at += 4 + view.getUint32(at, true) * 8;
    references.push(reference);
  }
  return { references, unplaced: at + 8 <= bytes.length ? readVirtualOffset(view, at) : undefined };
}

function readBin(view: DataView, start: number, reference: IndexOutline['references'][number]): number {
  const bin = view.getUint32(start, true);
  const chunks = view.getUint32(start + 4, true);
  const end = start + 8 + chunks * 16;
  if (bin === pseudoBin && chunks === 2) {
    reference.mapped = readVirtualOffset(view, start + 24);
    reference.unmapped = readVirtualOffset(view, start + 32);
  } else if (chunks > 0) {
    const block = blockStartOf(readVirtualOffset(view, start + 8));
    if (reference.firstBlock < 0 || block < reference.firstBlock) reference.firstBlock = block;
  }
  return end;
}
