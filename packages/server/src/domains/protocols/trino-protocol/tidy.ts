import { doAll } from '../../../platform/concurrency/do-all.ts';
import { eachAlone, pagesOf, rowsOfPages } from '../../../platform/concurrency/each-alone.ts';
import type { Reader } from '../../../platform/records/records.ts';
import type { TrinoStatementsTable } from '../../../platform/records/schema-lake.ts';

/** Rows that are worked on together. */
const partMax = 100;

type Idle = Pick<
  TrinoStatementsTable,
  'id' | 'account_id' | 'project_id' | 'user_id' | 'job_id' | 'blob_key' | 'asked_at'
>;

/** Ends statements that no client asks for any more, and removes results that were read or forgotten. */
export async function tidyStatements(
  read: Reader,
  { statementWaitMs, statementKeptMs }: { statementWaitMs: number; statementKeptMs: number },
  { end, remove }: { end(row: Idle): Promise<void>; remove(rows: Idle[]): Promise<void> },
): Promise<void> {
  const now = Date.now();
  const running = rowsOfPages<Idle>(
    (last) =>
      idle(read, now - statementWaitMs, last)
        .where('state', '=', 'running')
        .execute(),
    partMax,
  );
  const ended = pagesOf<Idle>(
    (last) =>
      idle(read, now - statementKeptMs, last)
        .where('state', '<>', 'running')
        .execute(),
    partMax,
  );
  const endAll = (): Promise<void> =>
    eachAlone(running, end, {
      failed: 'a statement without a client could not be ended; it is tried again',
      about: ({ id }) => ({ statementId: id }),
    });
  const removeAll = (): Promise<void> =>
    eachAlone(ended, remove, {
      failed: 'statements without a client could not be removed; it is tried again',
      about: ([row]) => ({ statementId: row?.id }),
    });
  await doAll([endAll, removeAll]);
}

/** Statements that were not asked for since a time, past the last one of the page before. */
function idle(
  read: Reader,
  since: number,
  last: Pick<Idle, 'asked_at' | 'id'> = { asked_at: Number.MIN_SAFE_INTEGER, id: '' },
) {
  return read
    .selectFrom('trino_statements')
    .select(['id', 'account_id', 'project_id', 'user_id', 'job_id', 'blob_key', 'asked_at'])
    .where('asked_at', '<', since)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('asked_at', 'id'), '>', tuple(last.asked_at, last.id)))
    .orderBy('asked_at')
    .orderBy('id')
    .limit(partMax);
}
