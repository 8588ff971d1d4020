import type { Arrival, BlobInfo, DirectTransfers, PutOptions } from '../../platform/blobs/blobs.ts';
import type { UploadsTable } from '../../platform/records/schema.ts';
import { isStorageUnavailable, Problem } from '../../problem.ts';
import { uploadAt } from './places.ts';

/**
 * Joins the parts that clients put into the store itself, by their numbers: those that lie there count. Answers nothing when one of
 * them was replaced meanwhile, and `none` when there is none, or clients do not reach the store.
 */
export async function joinArrived(
  direct: DirectTransfers | undefined,
  upload: UploadsTable,
  promised: Omit<PutOptions, 'signal'>,
): Promise<BlobInfo | undefined | 'none'> {
  if (!direct) return 'none';
  const parts = await partsIn(direct, upload);
  if (parts.length === 0) return 'none';
  try {
    return await direct.join(parts, promised);
  } catch (error) {
    if (error instanceof Problem && error.code === 'OVERTAKEN') return undefined;
    throw error;
  }
}

/** Removes the parts of an upload that is complete; when the store cannot be reached, the sweep does later. */
export async function discardArrived(
  direct: DirectTransfers | undefined,
  upload: UploadsTable,
): Promise<void> {
  if (!direct) return;
  try {
    const parts = await partsIn(direct, upload);
    await direct.discard(parts.map(({ place }) => place));
  } catch (error) {
    if (!isStorageUnavailable(error)) throw error;
  }
}

async function partsIn(direct: DirectTransfers, { id }: UploadsTable): Promise<Arrival[]> {
  const parts = await Array.fromAsync(direct.arrivals(`${id}/`));
  return parts.toSorted((a, b) => (uploadAt(a.place).part ?? 0) - (uploadAt(b.place).part ?? 0));
}
