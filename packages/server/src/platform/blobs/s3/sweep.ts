import { inParallel } from '../../../in-parallel.ts';
import { isKey } from '../keys.ts';
import { batchMax, sweepScratch } from '../sweep.ts';
import type { BlobCache } from './cache.ts';
import type { S3Client } from './client.ts';
import { blobFolder } from './object-key.ts';

const removesAtOnce = 8;
/** Times of the store are whole seconds; an object may seem older than it is by as much. */
const roundingMs = 2000;

/**
 * Removes blobs and unfinished uploads that are older than `ageMs` by the store's own clock and that nobody holds, local scratch
 * files as old, and local copies of blobs that nobody holds any more.
 */
export async function sweepStore(
  parts: { client: S3Client; cache: BlobCache; scratchFolder: string },
  ageMs: number,
  held: (keys: string[]) => Promise<Set<string>>,
): Promise<{ removed: number }> {
  const { client, cache, scratchFolder } = parts;
  const scratch = await sweepScratch(scratchFolder, Date.now() - ageMs);
  const copied = cache.keys();
  for (const key of await unheld(copied, held)) cache.forget(key);
  let blobs = 0;
  let after: string | undefined;
  let now: number;
  do {
    const page = await client.list(blobFolder, after);
    now = page.now;
    const old = page.objects.filter(({ modifiedAt }) => modifiedAt < now - ageMs - roundingMs);
    const keys = old.map(({ key }) => key.slice(blobFolder.length)).filter(isKey);
    const gone = await unheld(keys, held);
    await inParallel(gone, removesAtOnce, (key) => client.remove(blobFolder + key));
    blobs += gone.length;
    after = page.next;
  } while (after !== undefined);
  const uploads = await abortUnfinished(client, now - ageMs - roundingMs);
  return { removed: scratch + blobs + uploads };
}

/** Uploads in parts of a process that died; what lies in them is paid for and can never be seen. */
async function abortUnfinished(client: S3Client, before: number): Promise<number> {
  const old = (await client.unfinished(blobFolder)).filter(({ startedAt }) => startedAt < before);
  await inParallel(old, removesAtOnce, ({ key, uploadId }) => client.abortParts(key, uploadId));
  return old.length;
}

async function unheld(keys: string[], held: (keys: string[]) => Promise<Set<string>>): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < keys.length; at += batchMax) {
    const batch = keys.slice(at, at + batchMax);
    const kept = await held(batch);
    found.push(...batch.filter((key) => !kept.has(key)));
  }
  return found;
}
