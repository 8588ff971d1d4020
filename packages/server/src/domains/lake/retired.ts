import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Records } from '../../platform/records/records.ts';

/** What is retired stays this long at the least, for queries that were just being started. */
export const retiredMs = 10 * 60_000;
/** Rows that are looked for at once. */
export const retiredBatchRows = 500;

/** Removes retired rows and, where no other row of their table shares it, the file of each. */
export async function removeRows(
  records: Records,
  blobs: Blobs,
  table: 'segments' | 'annotated_segments',
  rows: readonly { id: string; blob_key: string }[],
): Promise<void> {
  for (const { id, blob_key } of rows) {
    // The row goes first: a blob without a row is swept, a row without a blob would fail queries.
    const isFree = await records.transact(async (tx) => {
      await tx.deleteFrom(table).where('id', '=', id).execute();
      const other = tx.selectFrom(table).select('id').where('blob_key', '=', blob_key);
      return (await other.executeTakeFirst()) === undefined;
    });
    if (isFree) await removeFreed(blobs, [blob_key]);
  }
}
