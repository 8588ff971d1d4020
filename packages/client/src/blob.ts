import { ClientError, errorFrom, unreachable } from './client-error.ts';
import { fetchOnce } from './fetch-with-retries.ts';
import { deferred } from './retry.ts';
import { type Content, partBytesMin, type TransferOptions } from './upload-parts.ts';

/** The request of browsers that reports the bytes sent, which `fetch` does not. */
interface ProgressRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: Blob): void;
  abort(): void;
}

const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => ProgressRequest };
const headers = { 'content-type': 'application/octet-stream' };

/** Returns a file of a browser, or other bytes in memory, as content of an upload. */
export function blobContent(blob: Blob): Content {
  return {
    size: blob.size,
    isParted: blob.size > partBytesMin,
    put: (url, { start, end }, options) => putBlob(url, blob.slice(start, end), options),
    requireUnchanged: async () => undefined,
  };
}

async function putBlob(url: string, body: Blob, options: TransferOptions): Promise<Response> {
  if (XMLHttpRequest) return sendReported(new XMLHttpRequest(), url, body, options);
  const { signal, onBytes } = options;
  const init = { method: 'PUT', headers, body, signal: signal ?? null };
  const response = await fetchOnce(new Request(url, init), new URL(url).origin);
  onBytes?.(body.size, body.size);
  return response;
}

/** Makes one attempt. An abort rejects with its reason. */
async function sendReported(
  request: ProgressRequest,
  url: string,
  body: Blob,
  { onBytes, signal }: TransferOptions,
): Promise<Response> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = deferred<void>();
  const abort = (): void => {
    request.abort();
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', abort, { once: true });
  request.upload.onprogress = ({ loaded }) => onBytes?.(loaded, body.size);
  request.onload = () => resolve();
  request.onerror = () => reject(unreachable(new URL(url).origin, undefined));
  request.open('PUT', url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.send(body);
  try {
    await promise;
  } catch (error) {
    if (!signal?.aborted) await requireReadable(body);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  const { status, responseText } = request;
  const delay = request.getResponseHeader('retry-after');
  const response = new Response(responseText || null, {
    status,
    ...(delay !== null && { headers: { 'retry-after': delay } }),
  });
  if (!response.ok) throw await errorFrom(response);
  return response;
}

/** Rejects if a file was changed on disk: it cannot be read any more, which looks like a broken connection. */
async function requireReadable(blob: Blob): Promise<void> {
  try {
    await blob.slice(0, 1).arrayBuffer();
  } catch (error) {
    const message = 'The file was changed while it was uploaded. Choose it again.';
    throw new ClientError(message, { status: 0, code: 'FILE_CHANGED' }, error);
  }
}
