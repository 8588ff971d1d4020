import { setImmediate as nextTurn } from 'node:timers/promises';
import { endOfFileBlock } from '@ploidy/formats/bgzf';
import { type Chunk, joined, referenceNumber } from '@ploidy/formats/binning';
import type { BlockTarget, BlockUrls, Piece } from './block-urls.ts';
import { covered, type SequenceRange } from './covered.ts';
import { piecesOf } from './pieces.ts';
import { nothingThere } from './problem.ts';
import type { Region, TicketRequest } from './request.ts';
import type { Kind, SequenceIndex, Streamed } from './streamed.ts';

/** A literal prefix without a media type, because the standard's compliance suite looks for just that. */
const dataPrefix = 'data:;base64,';
const endUrl = `${dataPrefix}${Buffer.from(endOfFileBlock).toString('base64')}`;

/** How long regions are looked up at a time: thousands of them in a dense file take seconds, in which others are answered. */
const turnMs = 10;

interface TicketUrl {
  url: string;
  class: 'header' | 'body';
  /** Nothing; but there are clients that read it unasked. */
  headers: Record<string, never>;
}

/**
 * What the client has to fetch and put together, as JSON that begins with `{"htsget":`. A file without records in the regions gives a valid
 * one all the same: its header and the block that ends it.
 */
export async function ticketOf(
  kind: Kind,
  streamed: Streamed,
  request: TicketRequest,
  parts: { urls: BlockUrls; target: BlockTarget; signal: AbortSignal },
): Promise<string> {
  const { urls, target } = parts;
  const now = Date.now();
  const header = await streamed.header();
  const address = (piece: Piece): string => urls.url(target, piece, now);
  const first =
    header.inline === undefined ? address({ begin: 0, end: header.end }) : dataPrefix + header.inline;
  const list: TicketUrl[] = [{ url: first, class: 'header', headers: {} }];
  if (!request.headerOnly) {
    for (const chunk of await chunksOf(kind, streamed, request.regions, parts.signal)) {
      for (const piece of piecesOf(chunk)) list.push({ url: address(piece), class: 'body', headers: {} });
    }
    list.push({ url: endUrl, class: 'body', headers: {} });
  }
  return JSON.stringify({ htsget: { format: kind.format, urls: list } });
}

/** Where the wanted records lie. */
async function chunksOf(
  kind: Kind,
  streamed: Streamed,
  regions: Region[] | undefined,
  signal: AbortSignal,
): Promise<Chunk[]> {
  const { end, contentEnd } = await streamed.header();
  const all = { begin: end, end: contentEnd };
  if (regions === undefined) return all.begin < all.end ? [all] : [];
  const index = await streamed.index(signal);
  const isUnplaced = ({ referenceName }: Region): boolean => kind.name === 'reads' && referenceName === '*';
  const ranges = covered(regions.filter((one) => !isUnplaced(one)).map((one) => rangeOf(index, one)));
  const found = await chunksIn(index, ranges, signal);
  if (regions.some(isUnplaced)) found.push({ begin: index.bins.placedEnd ?? all.begin, end: all.end });
  return joined(found.filter((chunk) => chunk.begin < chunk.end));
}

async function chunksIn(
  { bins }: SequenceIndex,
  ranges: readonly SequenceRange[],
  signal: AbortSignal,
): Promise<Chunk[]> {
  let found: Chunk[] = [];
  let turnEnds = performance.now() + turnMs;
  for (const { number, start, end } of ranges) {
    for (const chunk of bins.chunks(number, start, end)) found.push(chunk);
    if (performance.now() < turnEnds) continue;
    // Regions of one window give the same chunks again and again.
    found = joined(found);
    await nextTurn(undefined, { signal });
    turnEnds = performance.now() + turnMs;
  }
  return found;
}

function rangeOf({ numbers }: SequenceIndex, { referenceName, start, end }: Region): SequenceRange {
  const number = referenceNumber(numbers, referenceName);
  if (number === undefined)
    throw nothingThere('The file has no sequence of this name, or several that it may mean.');
  return { number, start, end };
}
