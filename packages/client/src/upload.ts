import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ClientError, errorFrom, unreachable } from './client-error.ts';
import { deferred, retry } from './retry.ts';
import { type Content, type Range, type TransferOptions, uploadAttemptsMin } from './upload-parts.ts';

/** Local files from this size on go in parts: below it, the further requests cost more than a repetition would. */
export const inPartsFromBytes = 64 * 1024 * 1024;
/** A connection on which nothing moves for this long is given up. The service syncs the bytes to disk before it answers. */
const idleMs = 600_000;
const chunkBytes = 256 * 1024;

/** Returns a local file as content of an upload; `undefined` for a pipe or device. */
export async function localFile(path: string): Promise<Content | undefined> {
  const before = await stat(path);
  const { size } = before;
  if (!before.isFile()) return undefined;
  const requireUnchanged = async (): Promise<void> => {
    const after = await stat(path);
    if (after.size !== size || after.mtimeMs !== before.mtimeMs) throw fileChanged(path);
  };
  return {
    size,
    isParted: size >= inPartsFromBytes,
    put: (url, range, options) =>
      put(url, contentOf(path, range, requireUnchanged), { ...options, size: range.end - range.start }),
    requireUnchanged,
  };
}

/** PUTs a stream, or a pipe by its path, to a signed address. */
export async function putTo(
  url: string,
  from: string | AsyncIterable<Uint8Array>,
  options: TransferOptions,
): Promise<void> {
  const source = typeof from === 'string' ? createReadStream(from) : streamOf(from);
  // A reader of the stream would wait forever.
  if (options.signal) addAbortSignal(options.signal, source);
  try {
    await (wantsLength(url) ? putSpooled(url, source, options) : putStream(url, source, options));
  } finally {
    // One that is not at its end, such as standard input that stays open, would keep the process.
    source.destroy();
  }
}

function streamOf(source: AsyncIterable<Uint8Array>): Readable {
  return source instanceof Readable ? source : Readable.from(source, { objectMode: false });
}

/**
 * S3 accepts only content whose length is sent first. Its presigned addresses are recognised by their signature (SigV4, "query
 * parameters").
 */
function wantsLength(url: string): boolean {
  return new URL(url).searchParams.has('X-Amz-Signature');
}

/** PUTs a stream of unknown length (standard input). It cannot be repeated. */
export async function putStream(
  url: string,
  source: AsyncIterable<Uint8Array>,
  options: TransferOptions = {},
): Promise<void> {
  await put(url, source, options);
}

/** Uploads through a temporary file, which has a length and allows retries. */
async function putSpooled(
  url: string,
  source: AsyncIterable<Uint8Array>,
  options: TransferOptions,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-upload-'));
  let file: FileHandle | undefined;
  try {
    file = await open(join(folder, 'bytes'), 'wx+', 0o600);
    // Open, it needs no name: it is gone whenever this process is. Windows keeps the name of what is open.
    if (process.platform !== 'win32') await rm(folder, { recursive: true });
    const spool = file;
    await pipeline(source, writeInto(spool), { ...(options.signal && { signal: options.signal }) });
    const { size } = await spool.stat();
    const attempt = () => put(url, bytesOf(spool, { start: 0, end: size }), { ...options, size });
    await retry(attempt, { attemptsMin: uploadAttemptsMin, signal: options.signal });
  } finally {
    await file?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const writeInto = (file: FileHandle) => async (source: AsyncIterable<Uint8Array>) => {
  for await (const chunk of source) await file.writeFile(chunk);
};

/**
 * Yields the announced bytes of a file, from `start` to before `end`. A file that has become shorter meanwhile is an error. The last
 * bytes wait for `requireUnchanged`: without them no mixture of two states is stored.
 */
async function* contentOf(
  path: string,
  { start, end }: Range,
  requireUnchanged: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  if (start === end) return;
  const file = await open(path);
  try {
    let bytes = 0;
    for await (const chunk of bytesOf(file, { start, end })) {
      bytes += chunk.length;
      if (bytes === end - start) await requireUnchanged();
      yield chunk;
    }
    if (bytes !== end - start) throw fileChanged(path);
  } finally {
    await file.close();
  }
}

/** Yields the bytes of a range, or fewer when the file ends before. */
async function* bytesOf(file: FileHandle, { start, end }: Range): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const length = Math.min(chunkBytes, end - at);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function fileChanged(path: string): ClientError {
  const message = `${path} was changed while it was uploaded. Try again.`;
  return new ClientError(message, { status: 0, code: 'FILE_CHANGED' });
}

interface PutOptions extends TransferOptions {
  /** Exact number of bytes; absent when unknown. */
  size?: number;
}

/** Makes one attempt to upload. An error of the source is thrown as it is, one of the connection as `UNREACHABLE`. */
async function put(
  url: string,
  source: AsyncIterable<Uint8Array>,
  { size, onBytes, signal }: PutOptions,
): Promise<Response> {
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
    const response = await send(url, counted(), size, signal);
    if (!response.ok) throw await errorFrom(response);
    return response;
  } catch (error) {
    signal?.throwIfAborted();
    throw sourceError ?? unreachable(new URL(url).origin, error);
  }
}

function send(
  url: string,
  body: AsyncIterable<Uint8Array>,
  size: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { promise, resolve, reject } = deferred<Response>();
  const answered = new AbortController();
  // Read at an upload only: with an `import` every command of the command line would read both, a third of its time.
  const { request, Agent } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
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
      const status = incoming.statusCode ?? 500;
      const retryAfter = incoming.headers['retry-after'];
      const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
      resolve(new Response(Buffer.concat(chunks), { status, headers }));
      // An answer before the last byte (413, 403): the rest need not go.
      answered.abort();
    });
  });
  outgoing.on('error', reject);
  outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error('nothing moved on the connection')));
  const ends = AbortSignal.any([answered.signal, ...(signal ? [signal] : [])]);
  pipeline(body, outgoing, { signal: ends }).catch(reject);
  return promise.finally(() => agent.destroy());
}
