import { Readable } from 'node:stream';
import { blockStartOf } from '@ploidy/formats/bgzf';
import type { BlobInfo, Blobs } from '../../../../platform/blobs/blobs.ts';
import type { BlockStream } from './block-stream.ts';
import type { Piece } from './block-urls.ts';

/** CRAM in the store: containers are sent unchanged. Offsets are virtual, with nothing behind the start of a block. */
export class CramBlob {
  readonly #blobs: Blobs;
  readonly #blob: BlobInfo;

  constructor(blobs: Blobs, blob: BlobInfo) {
    this.#blobs = blobs;
    this.#blob = blob;
  }

  /** Returns the bytes of a piece. */
  piece({ begin, end, from, to }: Piece): BlockStream {
    const range = { start: from ?? blockStartOf(begin), end: to ?? blockStartOf(end) };
    const size = range.end - range.start;
    if (size === 0) return { size, open: async () => Readable.from([]) };
    return { size, open: () => this.#blobs.open(this.#blob.key, range, { passedOn: true }) };
  }
}
