import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientError, errorFrom, unreachable } from './client-error.ts';

/** Told the bytes that have gone over the wire so far. */
export type BytesListener = (bytes: number) => void;

const triesMax = 4;
const waitMs = 250;

/**
 * PUTs a local file to a signed address, as a stream. Tried again when the connection breaks or the service is busy: PUT may be
 * repeated.
 */
export async function putFile(url: string, path: string, onBytes?: BytesListener): Promise<void> {
  const { size } = await stat(path);
  for (let attempt = 1; ; attempt++) {
    try {
      await put(url, createReadStream(path, { highWaterMark: 256 * 1024 }), size, onBytes);
      return;
    } catch (error) {
      const again = error instanceof ClientError && (error.status === 0 || error.status === 503);
      if (!again || attempt === triesMax) throw error;
      await delay(waitMs * 2 ** attempt);
    }
  }
}

/** PUTs a stream of unknown length (standard input). It cannot be repeated. */
export async function putStream(url: string, source: Readable, onBytes?: BytesListener): Promise<void> {
  await put(url, source, undefined, onBytes);
}

async function put(
  url: string,
  source: Readable,
  size: number | undefined,
  onBytes: BytesListener | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const headers = size === undefined ? {} : { 'content-length': size };
  const outgoing = send(url, { method: 'PUT', headers }, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', reject);
    incoming.on('end', () =>
      resolve(new Response(Buffer.concat(chunks), { status: incoming.statusCode ?? 500 })),
    );
  });
  outgoing.on('error', reject);
  let bytes = 0;
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    onBytes?.(bytes);
  });
  // An answer may come before the last byte (413); whichever ends first decides.
  const sent = pipeline(source, outgoing).catch(reject);
  const response = await promise.catch((error: unknown) => {
    throw unreachable(new URL(url).origin, error);
  });
  source.destroy();
  await sent;
  if (!response.ok) throw await errorFrom(response);
}

/** Streams the bytes of an address into a file, which appears under its name only when it is complete, or into a sink. */
export async function getTo(
  url: string,
  headers: Record<string, string>,
  sink: string | Writable,
  onBytes?: BytesListener,
): Promise<void> {
  const response = await fetch(url, { headers }).catch((error: unknown) => {
    throw unreachable(new URL(url).origin, error);
  });
  if (!response.ok || !response.body) throw await errorFrom(response);
  const source = Readable.fromWeb(response.body);
  let bytes = 0;
  source.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    onBytes?.(bytes);
  });
  if (typeof sink !== 'string') {
    await pipeline(source, sink, { end: false });
    return;
  }
  const part = `${sink}.part`;
  try {
    await pipeline(source, createWriteStream(part));
    await rename(part, sink);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
