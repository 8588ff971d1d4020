import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { EhrSyncPagesTable } from '../../platform/records/schema-ehrs.ts';

/** So many of one level become one of the next. Keeps the rows and blobs of a sync that asks patient by patient few. */
const joinedAtOnce = 64;

/** The rows of the pages that a sync holds. */
export function openPages(tx: Transaction, syncId: string) {
  return {
    async add(page: Pick<EhrSyncPagesTable, 'project_id' | 'number' | 'level' | 'blob_key'>): Promise<void> {
      await tx
        .insertInto('ehr_sync_pages')
        .values({ sync_id: syncId, ...page })
        .execute();
    },
    /** Answers the keys of the blobs, which nothing holds any more. */
    async removeAll(): Promise<string[]> {
      const gone = await tx
        .deleteFrom('ehr_sync_pages')
        .where('sync_id', '=', syncId)
        .returning('blob_key')
        .execute();
      return gone.map((row) => row.blob_key);
    },
    /** Puts one page in the place of several; false when they are not all there any more. */
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

/** The pages that are ripe for joining: as many of one level as it takes. */
export function ripe(pages: readonly EhrSyncPagesTable[]): EhrSyncPagesTable[] | undefined {
  const levels = Map.groupBy(pages, ({ level }) => level);
  return [...levels.values()].find((some) => some.length >= joinedAtOnce);
}

/** Joins the bytes of pages: gzip may stand after gzip (RFC 1952 §2.2). */
export async function joinPages(
  blobs: Blobs,
  pages: readonly EhrSyncPagesTable[],
): Promise<EhrSyncPagesTable | undefined> {
  const [first] = pages;
  if (!first) return undefined;
  const blob = await blobs.join(pages.map((page) => page.blob_key));
  return { ...first, level: first.level + 1, blob_key: blob.key };
}
