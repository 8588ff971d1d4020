import type { Blobs } from './platform/blobs/blobs.ts';
import type { Records } from './platform/records/records.ts';

const dayMs = 86_400_000;
/** A remote store is looked through in requests of a thousand keys, which are paid for. */
const remoteEveryMs = 3_600_000;

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
      const files = await records.read
        .selectFrom('files')
        .select('blob_key')
        .where('blob_key', 'in', keys)
        .execute();
      const segments = await records.read
        .selectFrom('segments')
        .select('blob_key')
        .where('blob_key', 'in', keys)
        .execute();
      const parts = await records.read
        .selectFrom('upload_parts')
        .select('blob_key')
        .where('blob_key', 'in', keys)
        .execute();
      const pictures = await records.read
        .selectFrom('pictures')
        .select('blob_key')
        .where('blob_key', 'in', keys)
        .execute();
      return new Set([...files, ...segments, ...parts, ...pictures].map((row) => row.blob_key));
    });
    sweptAt = Date.now();
  };
}
