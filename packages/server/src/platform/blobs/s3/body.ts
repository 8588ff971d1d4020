import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { received } from '../receive.ts';

/** Bytes to send, of a known length, as often as attempts need. */
export interface Body {
  size: number;
  /** Hex. */
  sha256: string;
  open(): Readable;
}

const readBytes = 256 * 1024;

export function bytesBody(content: string | Uint8Array): Body {
  const bytes = Buffer.from(content);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { size: bytes.length, sha256, open: () => Readable.from(bytes.length === 0 ? [] : [bytes]) };
}

/** Reads bytes `[start, end)` of a local file: once for the hash and once for each attempt, so memory stays flat. */
export async function fileBody(path: string, start: number, end: number): Promise<Body> {
  if (start === end) return bytesBody('');
  const open = () => createReadStream(path, { start, end: end - 1, highWaterMark: readBytes });
  const { sha256 } = await received(open());
  return { size: end - start, sha256, open };
}

/** Adds the SHA-256 of a body, which the store checks: the SDK computes none of a stream. */
export function hashed<Args extends { request: unknown }>(args: Args, { sha256 }: Body): Args {
  const { headers } = args.request as { headers: Record<string, string> };
  headers['x-amz-content-sha256'] = sha256;
  return args;
}
