import { type FileHandle, open } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import {
  type BgzfBlock,
  bgzfFileBytesMax,
  blockBytesMax,
  type ContentBlock,
  InputError,
  readBlock,
  readTrailer,
} from '@ploidy/formats';

/** Blocks of a BGZF file that were read together. */
interface BlockBatch {
  /** Uncompressed. */
  content: Uint8Array;
  blocks: ContentBlock[];
  /** Start of the next block in the file; the size of the file after the last one. */
  nextStart: number;
}

/** Compressed bytes read at a time. */
const readBytes = 1024 * 1024;
/** Uncompressed bytes of a batch: one call of the decompressor for many blocks saves a third of its time. */
const batchBytes = 1024 * 1024;

/**
 * Reads the blocks of a BGZF file from its beginning to its end, decompressed and checked against their checksums. Rejects with
 * `InputError` for a file that is damaged, or ends within a block.
 */
export async function* readBlocks(path: string): AsyncGenerator<BlockBatch> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > bgzfFileBytesMax) throw new InputError('Files of more than 128 GiB cannot be indexed.');
    // One buffer for the whole file: an incomplete block is moved to its front.
    const space = new Uint8Array(readBytes);
    let [start, rest] = [0, 0];
    while (start + rest < size) {
      const buffer = space.subarray(0, await readOn(file, space, rest, start + rest));
      let at = 0;
      for (let batch = nextBatch(buffer, at, start); batch.blocks.length > 0; ) {
        const content = inflate(buffer, batch, start);
        yield { content, blocks: places(batch, start), nextStart: start + batch.end };
        at = batch.end;
        batch = nextBatch(buffer, at, start);
      }
      space.copyWithin(0, at, buffer.length);
      start += at;
      rest = buffer.length - at;
    }
    if (rest > 0) {
      throw new InputError(`The file ends within the block at byte ${start}: it is not complete.`);
    }
  } finally {
    await file.close();
  }
}

/** Reads more bytes after the `rest` ones at the front of the buffer. Returns the number of filled bytes. */
async function readOn(file: FileHandle, buffer: Uint8Array, rest: number, position: number): Promise<number> {
  const { bytesRead } = await file.read(buffer, rest, buffer.length - rest, position);
  if (bytesRead === 0) throw new Error('The file became shorter while it was read.');
  return rest + bytesRead;
}

interface Batch {
  blocks: (BgzfBlock & { size: number })[];
  start: number;
  end: number;
  size: number;
}

/** Finds the whole blocks of the buffer from `at` on, about one batch. */
function nextBatch(buffer: Uint8Array, at: number, fileStart: number): Batch {
  const batch: Batch = { blocks: [], start: at, end: at, size: 0 };
  while (batch.size < batchBytes) {
    const block = blockAt(buffer, batch.end, fileStart);
    if (!block || block.end > buffer.length) break;
    const { size } = readTrailer(buffer, block);
    if (size > blockBytesMax) throw damaged(fileStart + block.start);
    batch.blocks.push({ ...block, size });
    batch.end = block.end;
    batch.size += size;
  }
  return batch;
}

function blockAt(buffer: Uint8Array, at: number, fileStart: number): BgzfBlock | undefined {
  try {
    return readBlock(buffer, at);
  } catch (error) {
    // An error in the first block means another format; in a later one, damage.
    throw fileStart + at === 0 ? error : damaged(fileStart + at, error);
  }
}

function places({ blocks }: Batch, fileStart: number): ContentBlock[] {
  return blocks.map(({ start, size }) => ({ start: fileStart + start, size }));
}

function inflate(buffer: Uint8Array, batch: Batch, fileStart: number): Uint8Array {
  const content = unpacked(buffer, batch);
  if (content) return content;
  // Finds the damaged block of the batch.
  const broken = batch.blocks.find((block) => !unpacked(buffer, block));
  throw damaged(fileStart + (broken?.start ?? batch.start));
}

/** Decompresses a batch; the decompressor checks CRC and size of each block. */
function unpacked(
  buffer: Uint8Array,
  { start, end, size }: { start: number; end: number; size: number },
): Uint8Array | undefined {
  try {
    const options = { chunkSize: Math.max(64, size + 1), maxOutputLength: size + 1 };
    const content = gunzipSync(buffer.subarray(start, end), options);
    return content.length === size ? content : undefined;
  } catch (error) {
    const code = error instanceof Error ? String(Reflect.get(error, 'code')) : '';
    if (code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

function damaged(start: number, cause?: unknown): InputError {
  return new InputError(`The block at byte ${start} is damaged.`, {}, cause);
}
