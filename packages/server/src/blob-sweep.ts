import type { Blobs } from './platform/blobs/blobs.ts';
import type { Records } from './platform/records/records.ts';

const dayMs = 86_400_000;
/** A remote store is looked through in requests of a thousand keys, which are paid for. */
const remoteEveryMs = 3_600_000;

/** Every table whose rows hold blobs. */
const holders = [
  'files',
  'segments',
  'annotated_segments',
  'upload_parts',
  'pictures',
  'ehr_sync_pages',
] as const;

/**
 * Removes blobs and scratch files that no row took: what a crash left behind. Where this is the only process, what is older
 * than its start can have no maker any more; where several share the store, a day is waited. A remote store is swept less often
 * than this is called.
 */
export function blobSweep(records: Records, blobs: Blobs, soleProcess: boolean): () => Promise<unknown> {
  const startedAt = Date.now();
  let sweptAt = 0;
  return async () => {
    if (blobs.direct && Date.now() - sweptAt < remoteEveryMs) return;
    const ageMs = soleProcess ? Math.min(dayMs, Date.now() - startedAt) : dayMs;
    await blobs.sweep(ageMs, async (keys) => {
      const held = await Promise.all(holders.map((table) => heldBy(records, table, keys)));
      return new Set(held.flat());
    });
    sweptAt = Date.now();
  };
}

async function heldBy(records: Records, table: (typeof holders)[number], keys: string[]): Promise<string[]> {
  const rows = await records.read
    .selectFrom(table)
    .select('blob_key')
    .where('blob_key', 'in', keys)
    .execute();
  return rows.map((row) => row.blob_key);
}
