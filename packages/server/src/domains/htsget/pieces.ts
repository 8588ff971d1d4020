import { blockStartOf } from '@ploidy/formats/bgzf';
import type { Chunk } from '@ploidy/formats/binning';
import type { Piece } from './block-urls.ts';

/** Compressed bytes of one address: a transfer that fails is repeated from its beginning. */
const pieceBytes = 128 * 1024 * 1024;
/** The last piece may be larger by this part of the others, so that none is a crumb. */
const crumb = 1 / 8;

/** A chunk as pieces of about `bytes`, in order; a small one is a piece of its own. Where blocks begin is found when they are sent. */
export function* piecesOf(chunk: Chunk, bytes = pieceBytes): Generator<Piece> {
  const last = blockStartOf(chunk.end);
  let from: number | undefined;
  for (let to = blockStartOf(chunk.begin) + bytes; to + bytes * crumb < last; to += bytes) {
    yield { ...chunk, ...(from !== undefined && { from }), to };
    from = to;
  }
  yield { ...chunk, ...(from !== undefined && { from }) };
}
