import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Problem } from '../../../base/problem.ts';
import type { ByteRange } from '../blobs.ts';
import { storageProblem } from '../durable.ts';
import { answerMs } from './attempts.ts';
import type { S3Client } from './client.ts';
import { problemOf, S3Error, StoreHangs } from './errors.ts';

/** Maximum of resumptions in a row without a byte between. */
const resumesMax = 4;

/**
 * Streams an object, or a range of it. After a broken connection the read resumes where it broke: objects under one key never
 * change, and with `etag` only those bytes are read.
 */
export async function readObject(
  client: S3Client,
  key: string,
  range?: ByteRange,
  etag?: string,
): Promise<Readable> {
  const { start, end } = range ?? { start: 0, end: undefined };
  try {
    if (range && !isWithin(range)) throw outside((await client.head(key)).size);
    if (start === end) {
      const { size } = await client.head(key);
      if (start > size) throw outside(size);
      return Readable.from([]);
    }
    const first = await client.get(key, range, etag);
    if (end !== undefined && end > first.size) {
      first.bytes.destroy();
      throw outside(first.size);
    }
    const whole = { start, end: end ?? first.size };
    const stream = Readable.from(resuming(client, { key, etag }, whole, first.bytes), { objectMode: false });
    // A stream destroyed before its first read runs nothing of the generator: the connection would stay until its time limit.
    return stream.once('close', () => first.bytes.destroy());
  } catch (error) {
    if (error instanceof S3Error && error.status === 416) throw outside((await client.head(key)).size);
    throw failureOfRead(error, etag);
  }
}

/** Writes an object into a new local file; on a failure the file is left for the caller to remove. */
export async function fetchObject(
  client: S3Client,
  object: string,
  path: string,
  etag?: string,
): Promise<void> {
  const source = await readObject(client, object, undefined, etag);
  await pipeline(source, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch((error: unknown) => {
    throw storageProblem(error);
  });
}

async function* resuming(
  client: S3Client,
  { key, etag }: { key: string; etag: string | undefined },
  range: ByteRange,
  first: Readable,
): AsyncGenerator<Buffer> {
  let { start } = range;
  let source: Readable | undefined = first;
  for (let resumes = 0; start < range.end; resumes += 1) {
    try {
      source ??= (await client.get(key, { start, end: range.end }, etag)).bytes;
      for await (const chunk of timely(source)) {
        const wanted = chunk.subarray(0, range.end - start);
        start += wanted.length;
        resumes = 0;
        yield wanted;
        if (wanted.length < chunk.length) return;
      }
      if (start < range.end) throw new Error('The store ended an object before its last byte.');
    } catch (error) {
      const failure = failureOfRead(error, etag);
      const isFinal = error instanceof StoreHangs || failure.code === 'OBJECT_CHANGED';
      if (resumes >= resumesMax || isFinal) throw failure;
      source = undefined;
    }
  }
}

/** Passes on chunks; throws `StoreHangs` when one is awaited for too long. */
async function* timely(source: Readable): AsyncGenerator<Buffer> {
  const chunks = source.iterator();
  const late = new StoreHangs('GetObject');
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      // The stream ends with the error, so that nothing awaits its bytes.
      timer = setTimeout(() => source.destroy(late), answerMs);
      const { done, value } = await chunks.next();
      clearTimeout(timer);
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    source.destroy();
  }
}

/** Returns the failure of a read: bytes that had to be those of an ETag may be others by now, or gone. */
function failureOfRead(error: unknown, etag: string | undefined): Problem {
  const isGone = error instanceof S3Error && (error.status === 412 || error.status === 404);
  if (etag === undefined || !isGone) return problemOf(error);
  const message =
    'The object in its bucket was changed or removed since it was found. Look at the bucket again.';
  return new Problem(503, 'OBJECT_CHANGED', message, { cause: error });
}

function isWithin({ start, end }: ByteRange): boolean {
  return Number.isSafeInteger(start) && 0 <= start && start <= end;
}

function outside(size: number): Problem {
  return new Problem(416, 'RANGE_NOT_SATISFIABLE', `Ask for bytes within the first ${size}.`);
}
