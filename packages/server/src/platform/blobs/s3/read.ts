import { Readable } from 'node:stream';
import { Problem } from '../../../problem.ts';
import type { ByteRange } from '../blobs.ts';
import type { S3Client } from './client.ts';
import { problemOf, S3Error } from './errors.ts';

/** How often the rest is asked for anew when nothing came since the last time. */
const resumesMax = 4;

/**
 * An object, or a range of it, as a stream. When the connection breaks on the way, the rest is asked for where it broke: objects
 * under one key never change.
 */
export async function readObject(client: S3Client, key: string, range?: ByteRange): Promise<Readable> {
  const { start, end } = range ?? { start: 0, end: undefined };
  try {
    if (range && !isWithin(range)) throw outside((await client.head(key)).size);
    if (start === end) {
      const { size } = await client.head(key);
      if (start > size) throw outside(size);
      return Readable.from([]);
    }
    const first = await client.get(key, range);
    if (end !== undefined && end > first.size) {
      first.bytes.destroy();
      throw outside(first.size);
    }
    const whole = { start, end: end ?? first.size };
    const stream = Readable.from(resuming(client, key, whole, first.bytes), { objectMode: false });
    // Given up before it was begun, it runs nothing of the generator: the connection would stay until the store is silent for too long.
    return stream.once('close', () => first.bytes.destroy());
  } catch (error) {
    if (error instanceof S3Error && error.status === 416) throw outside((await client.head(key)).size);
    throw problemOf(error);
  }
}

async function* resuming(
  client: S3Client,
  key: string,
  range: ByteRange,
  first: Readable,
): AsyncGenerator<Buffer> {
  let { start } = range;
  let source: Readable | undefined = first;
  for (let resumes = 0; start < range.end; resumes += 1) {
    try {
      source ??= (await client.get(key, { start, end: range.end })).bytes;
      for await (const chunk of source) {
        const wanted = chunk.subarray(0, range.end - start);
        start += wanted.length;
        resumes = 0;
        yield wanted;
        if (wanted.length < chunk.length) return;
      }
      if (start < range.end) throw new Error('The store ended an object before its last byte.');
    } catch (error) {
      if (resumes >= resumesMax) throw problemOf(error);
      source = undefined;
    }
  }
}

function isWithin({ start, end }: ByteRange): boolean {
  return Number.isSafeInteger(start) && 0 <= start && start <= end;
}

function outside(size: number): Problem {
  return new Problem(416, 'RANGE_NOT_SATISFIABLE', `Ask for bytes within the first ${size}.`);
}
