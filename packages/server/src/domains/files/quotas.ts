import { sql } from 'kysely';
import { Problem } from '../../base/problem.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';

/** Bytes that count towards `PLOIDY_ACCOUNT_BYTES`, by what has them. */
interface AccountBytes {
  files: number;
  /** Parts of uploads that are not complete. */
  parts: number;
  /** Copies of tables for programs that read Iceberg. */
  copies: number;
}

/** Counts the bytes of the files, upload parts and copies of tables of an account. */
export async function accountBytes(db: Reader | Transaction, account: string): Promise<AccountBytes> {
  const { rows } = await sql<{ kind: keyof AccountBytes; bytes: number | string | null }>`
    select 'files' as kind, sum(size) as bytes from files where account_id = ${account} union all
    select 'parts', sum(parts_size) from uploads where account_id = ${account} and completed_at is null union all
    select 'copies', sum(size) from lake_copies where account_id = ${account}
  `.execute(db);
  const found: AccountBytes = { files: 0, parts: 0, copies: 0 };
  for (const { kind, bytes } of rows) found[kind] = Number(bytes ?? 0);
  return found;
}

/** Returns the bytes that an account may still store; undefined without a limit. */
export async function accountRoom(
  db: Reader | Transaction,
  account: string,
  bytesMax: number | undefined,
): Promise<number | undefined> {
  if (bytesMax === undefined) return undefined;
  const { files, parts, copies } = await accountBytes(db, account);
  return bytesMax - files - parts - copies;
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
