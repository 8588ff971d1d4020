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
      const held = await Promise.all(holders(records, keys).map((query) => query.execute()));
      return new Set(held.flat().flatMap(({ key }) => key ?? []));
    });
    sweptAt = Date.now();
  };
}

/** Every table that holds blobs: which of these keys it names. */
function holders({ read }: Records, keys: string[]) {
  return [
    read.selectFrom('files').select('blob_key as key').where('blob_key', 'in', keys),
    read.selectFrom('segments').select('blob_key as key').where('blob_key', 'in', keys),
    read.selectFrom('annotated_segments').select('blob_key as key').where('blob_key', 'in', keys),
    read.selectFrom('upload_parts').select('blob_key as key').where('blob_key', 'in', keys),
    read.selectFrom('pictures').select('blob_key as key').where('blob_key', 'in', keys),
    read.selectFrom('ehr_sync_pages').select('blob_key as key').where('blob_key', 'in', keys),
    read.selectFrom('readgroup_sets').select('index_blob as key').where('index_blob', 'in', keys),
    read.selectFrom('variant_indexes').select('index_blob as key').where('index_blob', 'in', keys),
    read.selectFrom('reference_sets').select('bases_blob as key').where('bases_blob', 'in', keys),
  ];
}
