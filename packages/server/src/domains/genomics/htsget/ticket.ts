import { endOfFileBlock } from '@ploidy/formats/bgzf';
import type { Chunk } from '@ploidy/formats/binning';
import { endOfCram } from '@ploidy/formats/cram';
import type { Wait } from '../../../api/route.ts';
import type { BlockTarget, BlockUrls, Piece } from './blocks/block-urls.ts';
import { piecesOf } from './blocks/pieces.ts';
import type { Header } from './contents/header.ts';
import { unsupportedFormat } from './problem.ts';
import type { Region, TicketRequest } from './request.ts';
import type { TicketSource } from './ticket-source.ts';

/** Literal prefix without a media type: the standard's compliance suite expects it. */
const dataPrefix = 'data:;base64,';
const inline = (bytes: Uint8Array): string => `${dataPrefix}${Buffer.from(bytes).toString('base64')}`;
const endUrls = { bgzf: inline(endOfFileBlock), cram: inline(endOfCram) };

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
  source: TicketSource,
  request: TicketRequest,
  deps: { urls: BlockUrls; target: BlockTarget; signal: AbortSignal; wait: Wait },
): Promise<string> {
  const { urls, target } = deps;
  const header = await source.header();
  requireFormat(request, header.format);
  const address = (piece: Piece): string => urls.url(target, piece);
  const first =
    header.inline === undefined ? address({ begin: 0, end: header.end }) : dataPrefix + header.inline;
  const list: TicketUrl[] = [{ url: first, class: 'header', headers: {} }];
  if (!request.headerOnly) {
    for (const chunk of await chunksOf(source, header, request.regions, deps)) {
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
  source: TicketSource,
  { end, contentEnd }: Header,
  regions: Region[] | undefined,
  client: { signal: AbortSignal; wait: Wait },
): Promise<Chunk[]> {
  if (regions !== undefined) return source.chunks(regions, client);
  return end < contentEnd ? [{ begin: end, end: contentEnd }] : [];
}
