import { setImmediate as nextTurn } from 'node:timers/promises';
import { endOfFileBlock } from '@ploidy/formats/bgzf';
import { type Chunk, joined, referenceNumber } from '@ploidy/formats/binning';
import { endOfCram } from '@ploidy/formats/cram';
import type { Wait } from '../../../api/route.ts';
import type { BlockTarget, BlockUrls, Piece } from './blocks/block-urls.ts';
import { piecesOf } from './blocks/pieces.ts';
import type { Kind, SequenceIndex, TicketSource } from './blocks/ticket-source.ts';
import { mergeRanges, type SequenceRange } from './merge-ranges.ts';
import { notFoundWithReason, unsupportedFormat } from './problem.ts';
import type { Region, TicketRequest } from './request.ts';

/** Literal prefix without a media type: the standard's compliance suite expects it. */
const dataPrefix = 'data:;base64,';
const inline = (bytes: Uint8Array): string => `${dataPrefix}${Buffer.from(bytes).toString('base64')}`;
const endUrls = { bgzf: inline(endOfFileBlock), cram: inline(endOfCram) };

/**
 * Time slice of index lookups: thousands of regions in a dense file take seconds, during which other requests
 * must run.
 */
const turnMs = 10;

interface TicketUrl {
  url: string;
  class: 'header' | 'body';
  /** Empty; some clients read it unconditionally. */
  headers: Record<string, never>;
}

/**
 * Builds the list of addresses to fetch and concatenate, as JSON that begins with `{"htsget":`. Regions
 * without records yield a valid file too: the header and the end-of-file block.
 */
export async function ticketOf(
  kind: Kind,
  source: TicketSource,
  request: TicketRequest,
  deps: { urls: BlockUrls; target: BlockTarget; signal: AbortSignal; wait: Wait },
): Promise<string> {
  const { urls, target } = deps;
  const now = Date.now();
  const header = await source.header();
  requireFormat(request, header.format);
  const address = (piece: Piece): string => urls.url(target, piece, now);
  const first =
    header.inline === undefined ? address({ begin: 0, end: header.end }) : dataPrefix + header.inline;
  const list: TicketUrl[] = [{ url: first, class: 'header', headers: {} }];
  if (!request.headerOnly) {
    for (const chunk of await chunksOf(kind, source, request.regions, deps)) {
      for (const piece of piecesOf(chunk)) list.push({ url: address(piece), class: 'body', headers: {} });
    }
    const url = header.format === 'CRAM' ? endUrls.cram : endUrls.bgzf;
    list.push({ url, class: 'body', headers: {} });
  }
  return JSON.stringify({ htsget: { format: header.format, urls: list } });
}

/** Problem 400 if the request names another format than that of the file: nothing is converted. */
function requireFormat({ format }: TicketRequest, present: string): void {
  if (format === undefined || format === present) return;
  throw unsupportedFormat(`The file is ${present} and is given as such.`);
}

/** Finds the chunks that hold the requested records. */
async function chunksOf(
  kind: Kind,
  source: TicketSource,
  regions: Region[] | undefined,
  { signal, wait }: { signal: AbortSignal; wait: Wait },
): Promise<Chunk[]> {
  const { end, contentEnd } = await source.header();
  const all = { begin: end, end: contentEnd };
  if (regions === undefined) return all.begin < all.end ? [all] : [];
  const index = await source.index(wait);
  const isUnplaced = ({ referenceName }: Region): boolean => kind.name === 'reads' && referenceName === '*';
  const ranges = mergeRanges(regions.filter((one) => !isUnplaced(one)).map((one) => rangeOf(index, one)));
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
    // Regions of one index window yield the same chunks repeatedly.
    found = joined(found);
    await nextTurn(undefined, { signal });
    turnEnds = performance.now() + turnMs;
  }
  return found;
}

function rangeOf({ numbers }: SequenceIndex, { referenceName, start, end }: Region): SequenceRange {
  const number = referenceNumber(numbers, referenceName);
  if (number === undefined)
    throw notFoundWithReason('The file has no sequence of this name, or several that match.');
  return { number, start, end };
}
