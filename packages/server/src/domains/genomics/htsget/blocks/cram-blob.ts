import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { blockStartOf, virtualOffset } from '@ploidy/formats/bgzf';
import { endOfCram, readCramHeader } from '@ploidy/formats/cram';
import { InputError } from '@ploidy/formats/input-error';
import type { BlobInfo, Blobs, ByteRange } from '../../../../platform/blobs/blobs.ts';
import { type Header, inlineBytesMax } from '../header.ts';
import type { BlockStream } from './block-stream.ts';
import type { Piece } from './block-urls.ts';

/** Bytes that hold the header of most files. */
const headBytes = 256 * 1024;

/** CRAM in the store: containers are sent unchanged. Offsets are virtual, with nothing behind the start of a block. */
export class CramBlob {
  readonly #blobs: Blobs;
  readonly #blob: BlobInfo;

  constructor(blobs: Blobs, blob: BlobInfo) {
    this.#blobs = blobs;
    this.#blob = blob;
  }

  /** Reads the header: everything before the first container of records. */
  async header(): Promise<Header> {
    const { size } = this.#blob;
    for (let needed = headBytes; ; ) {
      const bytes = await this.#bytes({ start: 0, end: Math.min(size, needed) });
      const header = readCramHeader(bytes, inflate);
      if ('size' in header) {
        const isSmall = header.size <= inlineBytesMax;
        return {
          format: 'CRAM',
          inline: isSmall ? bytes.toString('base64', 0, header.size) : undefined,
          end: virtualOffset(header.size, 0),
          contentEnd: virtualOffset(await this.#contentEnd(), 0),
          references: header.references.map(({ name }) => name),
        };
      }
      if (bytes.length === size) throw new InputError('The file ends within its header.');
      needed = Math.max(header.bytesNeeded, needed * 2);
    }
  }

  /** Returns the bytes of a piece. */
  piece({ begin, end, from, to }: Piece): BlockStream {
    const range = { start: from ?? blockStartOf(begin), end: to ?? blockStartOf(end) };
    const size = range.end - range.start;
    if (size === 0) return { size, open: async () => Readable.from([]) };
    return { size, open: () => this.#blobs.open(this.#blob.key, range, { passedOn: true }) };
  }

  /** Finds the start of the container that ends the file, or the end of the file without one. */
  async #contentEnd(): Promise<number> {
    const { size } = this.#blob;
    const start = size - endOfCram.length;
    return (await this.#bytes({ start, end: size })).equals(endOfCram) ? start : size;
  }

  async #bytes(range: ByteRange): Promise<Buffer> {
    return Buffer.concat(await (await this.#blobs.open(this.#blob.key, range)).toArray());
  }
}

function inflate(data: Uint8Array, size: number): Uint8Array {
  return gunzipSync(data, { maxOutputLength: Math.max(1, size) });
}
