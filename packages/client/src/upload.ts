import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientError, errorFrom, unreachable } from './client-error.ts';

/** Told the bytes that have gone over the wire so far, and of how many when that is known. */
export type BytesListener = (bytes: number, bytesTotal?: number) => void;

const triesMax = 4;
const waitMs = 250;
/** A connection on which nothing moves for this long is given up. The service syncs the bytes to disk before it answers. */
const idleMs = 600_000;
const chunkBytes = 256 * 1024;

/**
 * PUTs a local file to a signed address, as a stream. Tried again when the connection breaks or the service is busy: PUT may be
 * repeated.
 */
export async function putFile(url: string, path: string, onBytes?: BytesListener): Promise<void> {
  const { size } = await stat(path);
  for (let attempt = 1; ; attempt++) {
    try {
      await put(url, contentOf(path, size), size, onBytes);
      return;
    } catch (error) {
      const again = error instanceof ClientError && (error.code === 'UNREACHABLE' || error.status === 503);
      if (!again || attempt === triesMax) throw error;
      await delay(waitMs * attempt);
    }
  }
}

/** PUTs a stream of unknown length (standard input). It cannot be repeated. */
export async function putStream(
  url: string,
  source: AsyncIterable<Uint8Array>,
  onBytes?: BytesListener,
): Promise<void> {
  await put(url, source, undefined, onBytes);
}

/** The first `size` bytes of a file: what was announced. A file that has become shorter meanwhile is an error. */
async function* contentOf(path: string, size: number): AsyncGenerator<Uint8Array> {
  if (size === 0) return;
  let bytes = 0;
  for await (const chunk of createReadStream(path, { end: size - 1, highWaterMark: chunkBytes })) {
    bytes += chunk.length;
    yield chunk;
  }
  if (bytes === size) return;
  const message = `${path} became shorter while it was uploaded. Try again.`;
  throw new ClientError(message, { status: 0, code: 'FILE_CHANGED' });
}

/** One attempt. An error of the source is thrown as it is, one of the connection as `UNREACHABLE`. */
async function put(
  url: string,
  source: AsyncIterable<Uint8Array>,
  size: number | undefined,
  onBytes: BytesListener | undefined,
): Promise<void> {
  let sourceError: unknown;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of source) {
        yield chunk;
        bytes += chunk.length;
        onBytes?.(bytes, size);
      }
    } catch (error) {
      sourceError = error;
      throw error;
    }
  };
  try {
    const response = await send(url, counted(), size);
    if (!response.ok) throw await errorFrom(response);
  } catch (error) {
    throw sourceError ?? unreachable(new URL(url).origin, error);
  }
}

function send(url: string, body: AsyncIterable<Uint8Array>, size: number | undefined): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const answered = new AbortController();
  const { request, Agent } = url.startsWith('https:') ? https : http;
  const headers = {
    'content-type': 'application/octet-stream',
    ...(size !== undefined && { 'content-length': size }),
  };
  // Kept alive, so that a server that refuses early need not close (and reset) the connection before its answer is read.
  const agent = new Agent({ keepAlive: true });
  const outgoing = request(url, { method: 'PUT', headers, agent }, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', reject);
    incoming.on('end', () => {
      resolve(new Response(Buffer.concat(chunks), { status: incoming.statusCode ?? 500 }));
      // An answer before the last byte (413, 403): the rest need not go.
      answered.abort();
    });
  });
  outgoing.on('error', reject);
  outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error('nothing moved on the connection')));
  pipeline(body, outgoing, { signal: answered.signal }).catch(reject);
  return promise.finally(() => agent.destroy());
}
