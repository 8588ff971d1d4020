import { conflict, isStorageUnavailable, Problem } from '../../../base/problem.ts';
import type { Arrival, BlobInfo, DirectTransfers, PutOptions } from '../../../platform/blobs/blobs.ts';
import type { UploadsTable } from '../../../platform/records/schema.ts';
import { parseKey } from './object-keys.ts';

/**
 * Joins the parts that clients wrote to the blob store, by number: the last one of each. Returns `undefined` if one
 * was replaced meanwhile, `none` if there are none or the store is not open to clients. Problem 409 if a part was
 * sent by a credential that has ended since: the store would accept it afterwards, too.
 */
export async function joinArrived(
  direct: DirectTransfers | undefined,
  upload: UploadsTable,
  promised: Omit<PutOptions, 'signal'>,
  isLive: (via: string) => Promise<boolean>,
): Promise<BlobInfo | undefined | 'none'> {
  if (!direct) return 'none';
  const parts = await newestIn(direct, upload.id, isLive);
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
  return Array.fromAsync(direct.arrivals(`${id}/`));
}

/** Finds the newest arrival of each number, of credentials that have not ended. */
async function newestIn(
  direct: DirectTransfers,
  id: string,
  isLive: (via: string) => Promise<boolean>,
): Promise<Arrival[]> {
  const byNumber = Map.groupBy(await partsIn(direct, id), ({ place }) => parseKey(place).part ?? 0);
  const numbers = [...byNumber.keys()].toSorted((a, b) => a - b);
  const newest: Arrival[] = [];
  for (const number of numbers) {
    const arrivals = (byNumber.get(number) ?? []).toSorted((a, b) => b.at - a.at);
    const live: Arrival[] = [];
    for (const arrival of arrivals) {
      const { via } = parseKey(arrival.place);
      if (via === undefined || (await isLive(via))) live.push(arrival);
    }
    const [last] = live;
    if (!last) throw partEnded(number);
    newest.push(last);
  }
  return newest;
}

function partEnded(number: number): Problem {
  const message = `Part ${number} was sent by a key, token or sign-in that has ended. Ask for its address again and send it.`;
  return conflict('PART_ENDED', message);
}
