import { Problem } from '../../../base/problem.ts';
import { inParallel } from '../../concurrency/in-parallel.ts';
import type { Arrival, BlobInfo, DirectTransfers } from '../blobs.ts';
import type { BlobIntents } from '../intents.ts';
import type { S3Client, S3Object } from './client.ts';
import { problemOf, S3Error } from './errors.ts';
import { newCopiedBlob, newJoinedBlob } from './new-blob.ts';
import { arrivalFolder, arrivalOf, objectOf } from './object-key.ts';

const discardsAtOnce = 16;

/** Lets clients PUT to and GET from the store itself, by presigned addresses. */
export function directTransfers(client: S3Client, intents: BlobIntents): DirectTransfers {
  return {
    uploadUrl: async (place, { expiresAt, ...terms }) =>
      client.uploadUrl(arrivalOf(place), secondsUntil(expiresAt), terms).catch(fail),
    downloadUrl: async (key, { expiresAt, ...terms }) =>
      client.downloadUrl(objectOf(key), secondsUntil(expiresAt), terms).catch(fail),
    arrival: (place, signal) => lookAt(client, place, signal),
    arrivals: (folder) => listed(client, folder),
    take: (arrival, options) => taken(newCopiedBlob(client, intents, sourceOf(arrival), options)),
    join: (arrivals, options) => taken(newJoinedBlob(client, intents, arrivals.map(sourceOf), options)),
    discard: async (places) => {
      await inParallel(places.map(arrivalOf), discardsAtOnce, (object) => client.remove(object).catch(fail));
    },
  };
}

function fail(error: unknown): never {
  throw problemOf(error);
}

function secondsUntil(time: number): number {
  return Math.max(1, Math.floor((time - Date.now()) / 1000));
}

function arrivalFrom(object: S3Object): Arrival {
  return {
    place: object.key.slice(arrivalFolder.length),
    size: object.size,
    tag: `${object.etag}@${object.modifiedAt}`,
    at: object.modifiedAt,
  };
}

async function lookAt(client: S3Client, place: string, signal?: AbortSignal): Promise<Arrival | undefined> {
  try {
    return arrivalFrom(await client.head(arrivalOf(place), signal));
  } catch (error) {
    if (error instanceof S3Error && error.status === 404) return undefined;
    return fail(error);
  }
}

async function* listed(client: S3Client, folder: string): AsyncGenerator<Arrival> {
  let after: string | undefined;
  do {
    const page = await client.list(arrivalFolder + folder, after).catch(fail);
    yield* page.objects.map(arrivalFrom);
    after = page.next;
  } while (after !== undefined);
}

/** Maps the errors of copying an arrival. It is copied before it is read: the client may put other bytes meanwhile. */
async function taken(work: Promise<BlobInfo>): Promise<BlobInfo> {
  return work.catch((error: unknown) => {
    const overtaken = error instanceof S3Error && (error.status === 412 || error.status === 404);
    if (!overtaken) return fail(error);
    throw new Problem(409, 'OVERTAKEN', 'Other bytes have arrived meanwhile: look again.', { cause: error });
  });
}

function sourceOf({ place, size, tag }: Arrival): { key: string; size: number; etag: string } {
  return { key: arrivalOf(place), size, etag: tag.slice(0, tag.lastIndexOf('@')) };
}
