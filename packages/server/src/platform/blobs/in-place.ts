import { join } from 'node:path';
import { EngineError } from '@ploidy/engine';
import { notFound, Problem } from '../../base/problem.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import type { BlobInfo, Blobs } from './blobs.ts';
import { isPlaced, placedOf } from './keys.ts';
import type { S3Client } from './s3/client.ts';
import { problemOf } from './s3/errors.ts';
import { fetchObject, readObject } from './s3/read.ts';

/** Opens the bucket of an id; `undefined` if it is connected no longer. */
export type OpenBucket = (bucketId: string) => Promise<S3Client | undefined>;

const fetchesAtOnce = 4;

/**
 * Adds the objects of connected buckets to a store: they are read where they are, by the ETag with which they were found, and
 * never written or removed. `localMaxBytes`: bytes that one work may copy for a local process, for its time.
 */
export function withPlaced(own: Blobs, openBucket: OpenBucket, localMaxBytes: number): Blobs {
  const bucketOf = async (key: string) => {
    const placed = placedOf(key);
    const client = await openBucket(placed.bucketId);
    if (!client) throw notFound();
    return { client, ...placed };
  };
  const fetched = async (blobs: BlobInfo[], folder: string, signal?: AbortSignal): Promise<string[]> => {
    const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
    if (bytes > localMaxBytes)
      throw new EngineError(
        'DISK',
        `The objects that have to be read are ${bytes} bytes, more than the ${localMaxBytes} of PLOIDY_CACHE_MAX.`,
      );
    const paths = blobs.map((_, at) => join(folder, String(at)));
    await inParallel(blobs, fetchesAtOnce, async ({ key }, at) => {
      signal?.throwIfAborted();
      const { client, object, etag } = await bucketOf(key);
      await fetchObject(client, object, paths[at] ?? '', etag).catch(asInput);
    });
    return paths;
  };
  return {
    ...boundTo(own),
    ...(own.direct && { direct: own.direct }),
    sizeOf: async (key) => {
      if (!isPlaced(key)) return own.sizeOf(key);
      const { client, object, etag } = await bucketOf(key);
      const found = await client.head(object).catch((error: unknown) => {
        const problem = problemOf(error);
        if (problem.status === 404) return undefined;
        throw problem;
      });
      return found?.etag === etag ? found.size : undefined;
    },
    open: async (key, range, options) => {
      if (!isPlaced(key)) return own.open(key, range, options);
      const { client, object, etag } = await bucketOf(key);
      return readObject(client, object, range, etag);
    },
    withLocal: (blobs, work, options = {}) => {
      const placed = blobs.filter(({ key }) => isPlaced(key));
      if (placed.length === 0) return own.withLocal(blobs, work, options);
      const others = blobs.filter(({ key }) => !isPlaced(key));
      return own.inScratchFolder(async (folder) => {
        const copies = await fetched(placed, folder, options.signal);
        const inOrder = (paths: string[]): string[] => {
          const [left, right] = [copies.values(), paths.values()];
          return blobs.map(({ key }) => (isPlaced(key) ? left : right).next().value ?? '');
        };
        return own.withLocal(others, (paths) => work(inOrder(paths)), options);
      });
    },
  };
}

/** Reports an object that is no longer the one that was found as a fault of the input: another attempt reads no other bytes. */
function asInput(error: unknown): never {
  if (error instanceof Problem && error.code === 'OBJECT_CHANGED')
    throw new EngineError('INPUT', error.message);
  throw error;
}

/** Passes everything else to the store, whose methods keep their private state. */
function boundTo(own: Blobs): Omit<Blobs, 'direct'> {
  return {
    put: (...given) => own.put(...given),
    scratchPath: (...given) => own.scratchPath(...given),
    inScratchFolder: (work) => own.inScratchFolder(work),
    discardScratch: (...given) => own.discardScratch(...given),
    adopt: (...given) => own.adopt(...given),
    join: (...given) => own.join(...given),
    sizeOf: (...given) => own.sizeOf(...given),
    share: (...given) => own.share(...given),
    addressOf: (...given) => own.addressOf(...given),
    open: (...given) => own.open(...given),
    withLocal: (blobs, work, options) => own.withLocal(blobs, work, options),
    remove: (...given) => own.remove(...given),
    sweep: (...given) => own.sweep(...given),
    sweepLocal: () => own.sweepLocal(),
    recover: () => own.recover(),
    putBack: (...given) => own.putBack(...given),
    check: () => own.check(),
    close: () => own.close(),
  };
}
