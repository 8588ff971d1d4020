import type { BlobInfo, PutOptions } from '../blobs.ts';
import { newKey } from '../keys.ts';
import { checkSize, received } from '../receive.ts';
import type { S3Client, S3Object } from './client.ts';
import { joinObjects } from './join.ts';
import { objectOf } from './object-key.ts';
import { readObject } from './read.ts';
import { copyObject } from './write.ts';

type Promised = Omit<PutOptions, 'signal'>;
type Source = Pick<S3Object, 'key' | 'size' | 'etag'>;

/** A new blob with the bytes that an object had under its ETag; one that has changed since is an `S3Error` 412. */
export function newCopiedBlob(client: S3Client, source: Source, promised: Promised): Promise<BlobInfo> {
  return newBlob(client, [source], promised, (target) => copyObject(client, target, source));
}

/** A new blob with the bytes of several objects, one after the other. */
export function newJoinedBlob(client: S3Client, sources: Source[], promised: Promised): Promise<BlobInfo> {
  return newBlob(client, sources, promised, (target) => joinObjects(client, target, sources));
}

/** Sizes are checked before anything is copied; the copy is read once, for its hashes. Nothing is left of a failure. */
async function newBlob(
  client: S3Client,
  sources: Source[],
  promised: Promised,
  write: (target: string) => Promise<void>,
): Promise<BlobInfo> {
  const size = sources.reduce((sum, one) => sum + one.size, 0);
  checkSize(size, promised);
  const key = newKey();
  await write(objectOf(key));
  try {
    return { key, ...(await received(await readObject(client, objectOf(key)), { ...promised, size })) };
  } catch (error) {
    // If this fails too, the sweep finds it: no row names it.
    await client.remove(objectOf(key)).catch(() => undefined);
    throw error;
  }
}
