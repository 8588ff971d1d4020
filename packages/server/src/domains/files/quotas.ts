import { sql } from 'kysely';
import { Problem } from '../../base/problem.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';

/** Returns the bytes that an account may still store, after its files, upload parts, copies of tables and packed VCF; undefined without a limit. */
export async function accountRoom(
  db: Reader | Transaction,
  account: string,
  bytesMax: number | undefined,
): Promise<number | undefined> {
  if (bytesMax === undefined) return undefined;
  const { rows } = await sql<{ bytes: number | string | null }>`
    select sum(size) as bytes from files where account_id = ${account} and origin <> 'bucket' union all
    select sum(parts_size) from uploads where account_id = ${account} and completed_at is null union all
    select sum(size) from lake_copies where account_id = ${account} union all
    select sum(packed_size) from variant_indexes join files on files.id = file_id where account_id = ${account}
  `.execute(db);
  return bytesMax - rows.reduce((sum, { bytes }) => sum + Number(bytes ?? 0), 0);
}

/** Requires that `more` bytes fit into an account. `bytesMax`: undefined for no limit. */
export async function requireAccountRoom(
  db: Reader | Transaction,
  account: string,
  bytesMax: number | undefined,
  more = 0,
): Promise<void> {
  const room = await accountRoom(db, account, bytesMax);
  if (room === undefined || more <= room) return;
  const message = `The files of this account may have ${bytesMax} bytes together, with copies of its tables. Delete some, or ask the operator for more.`;
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
