import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { type BgzfBlock, blockBytesMax, endOfFileBlock, readBlock, readTrailer } from '@ploidy/formats/bgzf';
import { InputError } from '@ploidy/formats/input-error';
import type { BlobInfo, Blobs, ByteRange } from '../../../../platform/blobs/blobs.ts';

const inflate = promisify(inflateRaw);

/** Start of every block: gzip, deflate, extra field. */
const magic = Buffer.from([0x1f, 0x8b, 8, 4]);

/** Inflated block of a file. */
interface Inflated {
  /** Start and end of the block in the file. */
  start: number;
  end: number;
  content: Buffer;
}

/** Blob in BGZF (SAMv1 §4.1). Reads any range from the store; rejects with `InputError` if damaged. */
export class BgzfBlob {
  readonly #blobs: Pick<Blobs, 'open'>;
  readonly blob: BlobInfo;

  constructor(blobs: Pick<Blobs, 'open'>, blob: BlobInfo) {
    this.#blobs = blobs;
    this.blob = blob;
  }

  /** Reads the block that begins at an offset. */
  async block(start: number): Promise<Inflated> {
    const bytes = await this.bytes({ start, end: Math.min(this.blob.size, start + blockBytesMax) });
    const block = readBlock(bytes, 0);
    if (!block || block.end > bytes.length) throw cutOff();
    return { start, end: start + block.end, content: await contentOf(bytes, block) };
  }

  /** Reads all blocks from the start. */
  async *blocks(): AsyncGenerator<Inflated> {
    let rest = Buffer.alloc(0);
    let start = 0;
    for await (const chunk of await this.#blobs.open(this.blob.key, { start: 0, end: this.blob.size })) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      for (let block = readBlock(rest, at); block && block.end <= rest.length; block = readBlock(rest, at)) {
        yield { start: start + at, end: start + block.end, content: await contentOf(rest, block) };
        at = block.end;
      }
      rest = rest.subarray(at);
      start += at;
    }
    if (rest.length > 0) throw cutOff();
  }

  /** Finds the first block at or after an offset. A candidate is verified by the blocks that follow it; the result is deterministic. */
  async blockFrom(place: number): Promise<number> {
    const end = Math.min(this.blob.size, place + 4 * blockBytesMax);
    const bytes = await this.bytes({ start: place, end });
    for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 1)) {
      if (isChain(bytes, at, end === this.blob.size)) return place + at;
    }
    throw cutOff();
  }

  /** Finds the start of the end-of-file block (SAMv1 §4.1.2), or the end of the file without one. */
  async contentEnd(): Promise<number> {
    const { size } = this.blob;
    const start = size - endOfFileBlock.length;
    if (start < 0) return size;
    return (await this.bytes({ start, end: size })).equals(endOfFileBlock) ? start : size;
  }

  /** Streams some bytes unchanged; chunks are passed on, not kept. */
  open(range: ByteRange): Promise<Readable> {
    return this.#blobs.open(this.blob.key, range, { passedOn: true });
  }

  async bytes(range: ByteRange): Promise<Buffer> {
    return Buffer.concat(await (await this.#blobs.open(this.blob.key, range)).toArray());
  }
}

/** Reports whether blocks follow each other from an offset to the end of the bytes and of the file. */
function isChain(bytes: Buffer, start: number, isLast: boolean): boolean {
  try {
    let at = start;
    for (let block = readBlock(bytes, at); block && block.end <= bytes.length; block = readBlock(bytes, at)) {
      at = block.end;
    }
    return isLast ? at === bytes.length : at > start;
  } catch {
    return false;
  }
}

async function contentOf(bytes: Buffer, block: BgzfBlock): Promise<Buffer> {
  const trailer = readTrailer(bytes, block);
  if (trailer.size > blockBytesMax) throw damaged();
  const content = await inflate(bytes.subarray(block.dataStart, block.dataEnd), {
    maxOutputLength: blockBytesMax,
  }).catch((error: unknown) => {
    throw damaged(error);
  });
  if (content.length !== trailer.size || crc32(content) !== trailer.crc32) throw damaged();
  return content;
}

const cutOff = (): InputError => new InputError('The file ends in the middle of a block: it was cut off.');
const damaged = (cause?: unknown): InputError =>
  new InputError('A block of the file is damaged: its checksum does not match.', {}, cause);
