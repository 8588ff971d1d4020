import { blockStartOf } from '@ploidy/formats/bgzf';
import type { Chunk } from '@ploidy/formats/binning';
import type { Piece } from './block-urls.ts';

/** Compressed bytes per address: a failed transfer is repeated from its start. */
const pieceBytes = 128 * 1024 * 1024;
/** Fraction by which the last piece may exceed the others, to avoid a tiny one. */
const crumb = 1 / 8;

/** Splits a chunk into pieces of about `bytes`, in order. Block boundaries are found when they are sent. */
export function* piecesOf(chunk: Chunk, bytes = pieceBytes): Generator<Piece> {
  const last = blockStartOf(chunk.end);
  let from: number | undefined;
  for (let to = blockStartOf(chunk.begin) + bytes; to + bytes * crumb < last; to += bytes) {
    yield { ...chunk, ...(from !== undefined && { from }), to };
    from = to;
  }
  yield { ...chunk, ...(from !== undefined && { from }) };
}
