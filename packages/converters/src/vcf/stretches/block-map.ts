import { open } from 'node:fs/promises';
import { type BgzfBlock, blockBytesMax, InputError, readBlock, readTrailer } from '@ploidy/formats';

/** Blocks of a BGZF file: the start of each in the file and in the text, and the end of both after the last. */
export interface BlockMap {
  offsets: Float64Array;
  textOffsets: Float64Array;
}

/** Bytes read at a time: the content of blocks is skipped, but a disk reads ahead anyway. */
const readBytes = 4 << 20;

/**
 * Finds the blocks of a file; undefined unless it consists of whole blocks from its beginning to its end (other gzip, a
 * truncated file, an appendix). Nothing is decompressed.
 */
export async function mapBlocks(path: string): Promise<BlockMap | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const space = new Uint8Array(readBytes);
    const map = new GrowingMap();
    let start = 0;
    while (start < size) {
      // Other work of the process runs in between: a large file may need minutes.
      const { bytesRead } = await file.read(space, 0, space.length, start);
      const used = map.add(space.subarray(0, bytesRead));
      if (used === 0) return undefined;
      start += used;
    }
    return map.ended();
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}

class GrowingMap {
  #offsets = new Float64Array(1024);
  #textOffsets = new Float64Array(1024);
  #count = 0;

  /** Reads the whole blocks at the front; returns their bytes. */
  add(bytes: Uint8Array): number {
    let at = 0;
    for (let block = readBlock(bytes, at); block && block.end <= bytes.length; block = readBlock(bytes, at)) {
      this.#add(bytes, block);
      at = block.end;
    }
    return at;
  }

  #add(bytes: Uint8Array, block: BgzfBlock): void {
    const { size } = readTrailer(bytes, block);
    if (size > blockBytesMax) throw new InputError('A BGZF block holds more than 64 KiB.');
    const count = this.#count;
    if (count + 1 === this.#offsets.length) {
      this.#offsets = grown(this.#offsets);
      this.#textOffsets = grown(this.#textOffsets);
    }
    this.#offsets[count + 1] = (this.#offsets[count] as number) + block.end - block.start;
    this.#textOffsets[count + 1] = (this.#textOffsets[count] as number) + size;
    this.#count = count + 1;
  }

  ended(): BlockMap {
    const count = this.#count + 1;
    return { offsets: this.#offsets.slice(0, count), textOffsets: this.#textOffsets.slice(0, count) };
  }
}

function grown(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
