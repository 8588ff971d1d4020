import { conflict, isStorageUnavailable, Problem } from '../../../base/problem.ts';
import type { Arrival, BlobInfo, DirectTransfers, PutOptions } from '../../../platform/blobs/blobs.ts';
import type { UploadsTable } from '../../../platform/records/schema.ts';
import { parseKey } from './object-keys.ts';

/**
 * Joins the parts that clients wrote to the blob store, by number: the last one of each. Returns `undefined` if one
 * was replaced meanwhile, `none` if there are none or the store is not open to clients. Problem 409 if a part was
 * sent only by credentials that have ended since: the store would accept it afterwards, too.
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

/**
 * Finds the newest arrival of each number whose credential lives: others count as little as bytes that are refused. Problem 409
 * for a number that has no such arrival. It is removed, so that a part that is never sent again blocks no upload.
 */
async function newestIn(
  direct: DirectTransfers,
  id: string,
  isLive: (via: string) => Promise<boolean>,
): Promise<Arrival[]> {
  const newest = new Map<number, Arrival>();
  const ended = new Map<number, string[]>();
  const live = new Map<string, boolean>();
  for (const arrival of (await partsIn(direct, id)).toSorted((a, b) => a.at - b.at)) {
    const { part: number = 0, via } = parseKey(arrival.place);
    const lives = via === undefined || (live.get(via) ?? (await isLive(via)));
    if (via !== undefined) live.set(via, lives);
    if (lives) newest.set(number, arrival);
    else ended.set(number, [...(ended.get(number) ?? []), arrival.place]);
  }
  const lost = [...ended.keys()].filter((number) => !newest.has(number));
  if (lost.length > 0) {
    await direct.discard(lost.flatMap((number) => ended.get(number) ?? []));
    throw partEnded(Math.min(...lost));
  }
  return [...newest].toSorted(([a], [b]) => a - b).map(([, arrival]) => arrival);
}

function partEnded(number: number): Problem {
  const message = `Part ${number} was sent by a key, token or sign-in that has ended, so it was removed. Ask for its address again and send it.`;
  return conflict('PART_ENDED', message);
}
