import { isStorageUnavailable, Problem } from '../../../base/problem.ts';
import type { Arrival, BlobInfo, DirectTransfers, PutOptions } from '../../../platform/blobs/blobs.ts';
import type { UploadsTable } from '../../../platform/records/schema.ts';
import { parseKey } from './object-keys.ts';

/**
 * Joins the parts that clients wrote to the blob store, by number. Returns `undefined` if one was replaced
 * meanwhile, `none` if there are none or the store is not open to clients.
 */
export async function joinArrived(
  direct: DirectTransfers | undefined,
  upload: UploadsTable,
  promised: Omit<PutOptions, 'signal'>,
): Promise<BlobInfo | undefined | 'none'> {
  if (!direct) return 'none';
  const parts = await partsIn(direct, upload.id);
  if (parts.length === 0) return 'none';
  try {
    return await direct.join(parts, promised);
  } catch (error) {
    if (error instanceof Problem && error.code === 'OVERTAKEN') return undefined;
    throw error;
  }
}

/** Removes what clients put into the store for an upload. */
export async function discardArrived(direct: DirectTransfers, id: string): Promise<void> {
  const parts = await partsIn(direct, id);
  await direct.discard([id, ...parts.map(({ place }) => place)]);
}

/** Removes the parts of an upload that is complete. When the store cannot be reached, they wait for the sweep. */
export async function discardJoined(
  direct: DirectTransfers | undefined,
  { id }: UploadsTable,
): Promise<void> {
  await (direct && discardArrived(direct, id))?.catch((error: unknown) => {
    if (!isStorageUnavailable(error)) throw error;
  });
}

async function partsIn(direct: DirectTransfers, id: string): Promise<Arrival[]> {
  const parts = await Array.fromAsync(direct.arrivals(`${id}/`));
  return parts.toSorted((a, b) => (parseKey(a.place).part ?? 0) - (parseKey(b.place).part ?? 0));
}
