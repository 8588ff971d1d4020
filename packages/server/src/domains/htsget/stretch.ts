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
/** What htslib puts into a block: so much fits into one also when it cannot be compressed. */
const contentBytesMax = 0xff00;

/** Bytes to send: new blocks for the two edges, and of the file what lies between them. */
export interface Stretch {
  /** In bytes. */
  size: number;
  open(): Readable;
}

/** Any bytes as blocks of BGZF. */
export async function blocksOf(content: Uint8Array): Promise<Buffer> {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += contentBytesMax) {
    const piece = content.subarray(at, at + contentBytesMax);
    blocks.push(writeBlock(await deflate(piece), { crc32: crc32(piece), size: piece.length }));
  }
  return Buffer.concat(blocks);
}

/** A piece of a chunk, by the blocks that begin where it says. */
export async function pieceOf(file: BgzfBlob, { begin, end, from, to }: Piece): Promise<Stretch> {
  const place = async (at: number): Promise<VirtualOffset> => virtualOffset(await file.blockFrom(at), 0);
  return stretchOf(file, {
    begin: from === undefined ? begin : await place(from),
    end: to === undefined ? end : await place(to),
  });
}

/**
 * Exactly what lies between two places of a file, as whole blocks. Records may straddle blocks, so a chunk of records seldom begins and ends
 * where blocks do: what it has of its first and last block is compressed anew, all between is streamed as it is.
 */
async function stretchOf(file: BgzfBlob, { begin, end }: Chunk): Promise<Stretch> {
  const [first, last] = [blockStartOf(begin), blockStartOf(end)];
  const [from, to] = [withinBlock(begin), withinBlock(end)];
  if (first === last) {
    const { content } = await file.block(first);
    return stretch(file, await blocksOf(content.subarray(from, to)), { start: 0, end: 0 }, none);
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
  return stretch(file, edges[0], middle, edges[1]);
}

const none = Buffer.alloc(0);
/** One chunk waits here for a client that reads slowly: chunks of files share memory (`OpenOptions.passedOn`). */
const bufferBytes = 1;

function stretch(
  file: BgzfBlob,
  head: Buffer,
  middle: { start: number; end: number },
  tail: Buffer,
): Stretch {
  return {
    size: head.length + middle.end - middle.start + tail.length,
    open: () => new Joined(head, () => (middle.start < middle.end ? file.open(middle) : undefined), tail),
  };
}

/** Some bytes, a stream, some bytes. Not a generator: each of its chunks would cost two more turns of the event loop. */
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
