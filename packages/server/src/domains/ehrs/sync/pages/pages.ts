import type { Blobs } from '../../../../platform/blobs/blobs.ts';
import type { Transaction } from '../../../../platform/records/records.ts';
import type { EhrSyncPagesTable } from '../../../../platform/records/schema-ehrs.ts';

/** Pages of one level that are joined to one of the next: a search by patient then has few rows and blobs. */
const joinedAtOnce = 64;

/** Database rows of a sync's pages. */
export function openPages(tx: Transaction, syncId: string) {
  return {
    async add(page: Pick<EhrSyncPagesTable, 'project_id' | 'number' | 'level' | 'blob_key'>): Promise<void> {
      await tx
        .insertInto('ehr_sync_pages')
        .values({ sync_id: syncId, ...page })
        .execute();
    },
    /** Removes all pages; returns the keys of their blobs. */
    async removeAll(): Promise<string[]> {
      const gone = await tx
        .deleteFrom('ehr_sync_pages')
        .where('sync_id', '=', syncId)
        .returning('blob_key')
        .execute();
      return gone.map((row) => row.blob_key);
    },
    /** Replaces several pages by one; false if some no longer exist. */
    async replace(several: readonly EhrSyncPagesTable[], one: EhrSyncPagesTable): Promise<boolean> {
      const numbers = several.map(({ number }) => number);
      const gone = await tx
        .deleteFrom('ehr_sync_pages')
        .where('sync_id', '=', syncId)
        .where('number', 'in', numbers)
        .executeTakeFirst();
      if (Number(gone.numDeletedRows) !== numbers.length) return false;
      await tx.insertInto('ehr_sync_pages').values(one).execute();
      return true;
    },
  };
}

/** Selects enough pages of one level to join, if any. */
export function ripe(pages: readonly EhrSyncPagesTable[]): EhrSyncPagesTable[] | undefined {
  const levels = Map.groupBy(pages, ({ level }) => level);
  return [...levels.values()].find((some) => some.length >= joinedAtOnce);
}

/** Joins the bytes of pages: gzip members may be concatenated (RFC 1952 §2.2). */
export async function joinPages(
  blobs: Blobs,
  pages: readonly EhrSyncPagesTable[],
): Promise<EhrSyncPagesTable | undefined> {
  const [first] = pages;
  if (!first) return undefined;
  const blob = await blobs.join(pages.map((page) => page.blob_key));
  return { ...first, level: first.level + 1, blob_key: blob.key };
}
