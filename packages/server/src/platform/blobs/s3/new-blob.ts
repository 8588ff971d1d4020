import type { BlobInfo, PutOptions } from '../blobs.ts';
import type { BlobIntents } from '../intents.ts';
import { checkSize, received } from '../receive.ts';
import type { S3Client, S3Object } from './client.ts';
import { joinObjects } from './join.ts';
import { objectOf } from './object-key.ts';
import { readObject } from './read.ts';
import { type Began, copyObject } from './write.ts';

type Promised = Omit<PutOptions, 'signal'>;
type Source = Pick<S3Object, 'key' | 'size' | 'etag'>;

/** Makes a blob of the bytes that an object had under its ETag; one that has changed since is an `S3Error` 412. */
export function newCopiedBlob(
  client: S3Client,
  intents: BlobIntents,
  source: Source,
  promised: Promised,
): Promise<BlobInfo> {
  const copy: Write = (target, began) => copyObject(client, target, source, began);
  return newBlob(client, intents, [source], promised, copy);
}

/** Makes a blob of the bytes of several objects, one after the other. */
export function newJoinedBlob(
  client: S3Client,
  intents: BlobIntents,
  sources: Source[],
  promised: Promised,
): Promise<BlobInfo> {
  const join: Write = (target, began) => joinObjects(client, target, sources, began);
  return newBlob(client, intents, sources, promised, join);
}

type Write = (target: string, began: Began) => Promise<void>;

/** Checks sizes before anything is copied, and reads the copy once, for its hashes. A failure leaves nothing. */
async function newBlob(
  client: S3Client,
  intents: BlobIntents,
  sources: Source[],
  promised: Promised,
  write: Write,
): Promise<BlobInfo> {
  const size = sources.reduce((sum, one) => sum + one.size, 0);
  checkSize(size, promised);
  return intents.create(async (key) => {
    await write(objectOf(key), (uploadId) => intents.noteUpload(key, uploadId));
    return received(await readObject(client, objectOf(key)), { ...promised, size });
  });
}
