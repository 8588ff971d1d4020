import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { inParallel } from '../../concurrency/in-parallel.ts';
import type { BlobInfo, ByteRange, ChooseExcerpt, Excerpt, LocalOptions } from '../blobs.ts';
import { storageProblem } from '../durable.ts';
import type { Scratch } from '../scratch.ts';
import type { BlobCache } from './cache.ts';
import type { S3Client } from './client.ts';
import { objectOf } from './object-key.ts';
import { readObject } from './read.ts';

/** Last bytes of a blob that are read first: most footers are shorter. */
const tailBytes = 256 * 1024;
/** Longest end of a blob that is held in memory. */
const tailMaxBytes = 32 * 2 ** 20;
/** Bytes between two ranges that are read with them: a request takes as long. */
const gapMaxBytes = 1024 * 1024;
const requestsAtOnce = 4;

interface Deps {
  client: S3Client;
  scratch: Scratch;
  cache: BlobCache;
  /** Blobs above this size are not copied whole where an excerpt is enough. */
  wholeMaxBytes: number;
}

/**
 * Runs `work` with a path for each blob: an excerpt of a large one where that is enough, else a copy that is kept. Excerpts are sparse
 * files, with the bytes of their ranges in place; they go with the work.
 */
export async function withExcerpts<T>(
  { client, scratch, cache, wholeMaxBytes }: Deps,
  blobs: BlobInfo[],
  work: (paths: string[]) => Promise<T>,
  options: LocalOptions = {},
): Promise<T> {
  const { excerpts, signal } = options;
  const made = new Map<string, string>();
  try {
    for (const { key, size } of blobs) {
      const choose = excerpts?.get(key);
      if (!choose || size <= wholeMaxBytes || cache.has(key)) continue;
      signal?.throwIfAborted();
      const excerpt = await chosen(client, { key, size }, choose);
      if (!excerpt) continue;
      const path = scratch.path('parquet');
      made.set(key, path);
      await write(client, key, excerpt, path, signal);
    }
    const others = blobs.filter(({ key }) => !made.has(key));
    const run = (paths: string[]): Promise<T> => {
      const left = paths.values();
      return work(blobs.map(({ key }) => made.get(key) ?? left.next().value ?? ''));
    };
    return await cache.use(others, run, options);
  } finally {
    for (const path of made.values()) await scratch.discard(path);
  }
}

/** Returns undefined where an excerpt would have most of the bytes. */
async function chosen(
  client: S3Client,
  { key, size }: Pick<BlobInfo, 'key' | 'size'>,
  choose: ChooseExcerpt,
): Promise<Excerpt | undefined> {
  const last = async (count: number): Promise<Buffer> =>
    buffer(await readObject(client, objectOf(key), { start: Math.max(0, size - count), end: size }));
  let excerpt = choose(size, await last(tailBytes));
  if (typeof excerpt === 'number' && excerpt <= tailMaxBytes) excerpt = choose(size, await last(excerpt));
  if (typeof excerpt !== 'object') return undefined;
  const ranges = joined(excerpt.ranges);
  const bytes = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  return bytes > size / 2 ? undefined : { ...excerpt, ranges };
}

/** Joins ranges that are near each other. */
function joined(ranges: readonly ByteRange[]): ByteRange[] {
  const all: ByteRange[] = [];
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const before = all.at(-1);
    if (before && start <= before.end + gapMaxBytes) before.end = Math.max(before.end, end);
    else all.push({ start, end });
  }
  return all;
}

async function write(
  client: S3Client,
  key: string,
  { ranges, footer }: Excerpt,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.write(footer.bytes, 0, footer.bytes.length, footer.start);
  } catch (error) {
    throw storageProblem(error);
  } finally {
    await file.close();
  }
  await inParallel([...ranges], requestsAtOnce, async (range) => {
    const source = await readObject(client, objectOf(key), range);
    const target = createWriteStream(path, { flags: 'r+', start: range.start });
    await pipeline(source, target, { signal }).catch((error: unknown) => {
      throw storageProblem(error);
    });
  });
}
