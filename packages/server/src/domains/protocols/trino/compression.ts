import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Page } from './pages.ts';

const gzipped = promisify(gzip);

/** Bytes from which a page is compressed: a smaller one takes as long to compress as to send. */
const compressedFrom = 64 * 1024;

/** Compresses a large page in zlib's threads, for a client that accepts gzip. All drivers do. */
export async function compressed(page: Page, headers: IncomingHttpHeaders): Promise<Page> {
  const vary = { ...page.headers, vary: 'Accept-Encoding' };
  if (page.body.length < compressedFrom || !takesGzip(headers)) return { ...page, headers: vary };
  const body = await gzipped(page.body, { level: constants.Z_BEST_SPEED });
  return { body, headers: { ...vary, 'content-encoding': 'gzip' } };
}

/** Reports whether a client takes gzip (RFC 9110, §12.5.3). */
export function takesGzip({ 'accept-encoding': accepted = '' }: IncomingHttpHeaders): boolean {
  return String(accepted)
    .split(',')
    .some((coding) => /^\s*(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*)?$/i.test(coding));
}
