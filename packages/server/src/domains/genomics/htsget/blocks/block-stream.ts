import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import {
  blockStartOf,
  type VirtualOffset,
  virtualOffset,
  withinBlock,
  writeBlock,
} from '@ploidy/formats/bgzf';
import type { Chunk } from '@ploidy/formats/binning';
import type { BgzfBlob } from './bgzf-blob.ts';
import type { Piece } from './block-urls.ts';

const deflate = promisify(deflateRaw);
/** Content of a block as in htslib: fits a block even if incompressible. */
const contentBytesMax = 0xff00;

/** Bytes to send: new blocks for both edges, and unchanged blocks of the file between. */
export interface BlockStream {
  /** Size in bytes. */
  size: number;
  open(): Readable | Promise<Readable>;
}

/** Compresses bytes to BGZF blocks. */
export async function blocksOf(content: Uint8Array): Promise<Buffer> {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += contentBytesMax) {
    const piece = content.subarray(at, at + contentBytesMax);
    blocks.push(writeBlock(await deflate(piece), { crc32: crc32(piece), size: piece.length }));
  }
  return Buffer.concat(blocks);
}

/** Returns the blocks of a piece that begin within its byte range. */
export async function pieceOf(file: BgzfBlob, { begin, end, from, to }: Piece): Promise<BlockStream> {
  const place = async (at: number): Promise<VirtualOffset> => virtualOffset(await file.blockFrom(at), 0);
  return streamOf(file, {
    begin: from === undefined ? begin : await place(from),
    end: to === undefined ? end : await place(to),
  });
}

/**
 * Returns exactly the content between two virtual offsets, as whole blocks. Records straddle blocks, so the
 * first and last block are compressed anew and the others streamed unchanged.
 */
async function streamOf(file: BgzfBlob, { begin, end }: Chunk): Promise<BlockStream> {
  const [first, last] = [blockStartOf(begin), blockStartOf(end)];
  const [from, to] = [withinBlock(begin), withinBlock(end)];
  if (first === last) {
    const { content } = await file.block(first);
    return stream(file, await blocksOf(content.subarray(from, to)), { start: 0, end: 0 }, none);
  }
  const [head, tail] = await Promise.all([
    from === 0 ? undefined : file.block(first),
    to === 0 ? undefined : file.block(last),
  ]);
  const middle = { start: head?.end ?? first, end: last };
  const edges = await Promise.all([
    head ? blocksOf(head.content.subarray(from)) : none,
    tail ? blocksOf(tail.content.subarray(0, to)) : none,
  ]);
  return stream(file, edges[0], middle, edges[1]);
}

const none = Buffer.alloc(0);
/** Buffers one chunk for a slow client: chunks of files share memory (`OpenOptions.passedOn`). */
const bufferBytes = 1;

function stream(
  file: BgzfBlob,
  head: Buffer,
  middle: { start: number; end: number },
  tail: Buffer,
): BlockStream {
  return {
    size: head.length + middle.end - middle.start + tail.length,
    open: () => new Joined(head, () => (middle.start < middle.end ? file.open(middle) : undefined), tail),
  };
}

/**
 * Concatenates bytes, a stream and bytes. Not a generator, which would add two event-loop turns per chunk.
 */
class Joined extends Readable {
  readonly #open: () => Promise<Readable> | undefined;
  readonly #tail: Buffer;
  #middle: Readable | undefined;

  constructor(head: Buffer, open: () => Promise<Readable> | undefined, tail: Buffer) {
    super({ highWaterMark: bufferBytes });
    this.#open = open;
    this.#tail = tail;
    if (head.length > 0) this.push(head);
  }

  override _construct(callback: (error?: Error) => void): void {
    const opening = this.#open() ?? Promise.resolve(undefined);
    opening.then((middle) => {
      this.#middle = middle;
      middle?.on('data', (chunk: Buffer) => {
        if (!this.push(chunk)) middle.pause();
      });
      middle?.on('error', (error) => this.destroy(error));
      middle?.on('end', () => this.#finish());
      middle?.pause();
      callback();
    }, callback);
  }

  override _read(): void {
    if (this.#middle) this.#middle.resume();
    else this.#finish();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#middle?.destroy();
    callback(error);
  }

  #finish(): void {
    if (this.#tail.length > 0) this.push(this.#tail);
    this.push(null);
  }
}
