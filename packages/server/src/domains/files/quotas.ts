import { Problem } from '../../base/problem.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';

/** Requires that `more` bytes fit beside the files of an account and the parts of its uploads. `bytesMax`: undefined for no limit. */
export async function requireAccountRoom(
  db: Reader | Transaction,
  account: string,
  bytesMax: number | undefined,
  more = 0,
): Promise<void> {
  if (bytesMax === undefined) return;
  const { files } = await db
    .selectFrom('files')
    .select(({ fn }) => fn.sum<number | null>('size').as('files'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  const { parts } = await db
    .selectFrom('uploads')
    .select(({ fn }) => fn.sum<number | null>('parts_size').as('parts'))
    .where('account_id', '=', account)
    .where('completed_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(files ?? 0) + Number(parts ?? 0) + more <= bytesMax) return;
  const message = `The files of this account may have ${bytesMax} bytes together. Delete some, or ask the operator for more.`;
  throw new Problem(413, 'ACCOUNT_FULL', message);
}

/** Requires that the results of queries that a user keeps in an account are below `bytesMax`. */
export async function requireResultRoom(
  db: Reader | Transaction,
  { account, userId }: { account: string; userId: string },
  bytesMax: number,
): Promise<void> {
  const { bytes } = await db
    .selectFrom('files')
    .select(({ fn }) => fn.sum<number | null>('size').as('bytes'))
    .where('owner_id', '=', userId)
    .where('account_id', '=', account)
    .where('origin', '=', 'query')
    .executeTakeFirstOrThrow();
  if (Number(bytes ?? 0) < bytesMax) return;
  const message = `Results of your queries may have ${bytesMax} bytes together in an account. Delete some that you no longer need.`;
  throw new Problem(413, 'RESULTS_FULL', message);
}
