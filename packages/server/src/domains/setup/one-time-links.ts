import { createHash, randomBytes } from 'node:crypto';
import type { Reader, Transaction } from '../../platform/records/records.ts';

const purpose = 'first-password';

/** A new token; it works once `storeToken` has stored its hash. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Lets a token set the password of a user, once. Only its hash is stored. */
export async function storeToken(
  tx: Transaction,
  token: string,
  userId: string,
  lifeMs: number,
): Promise<void> {
  const now = Date.now();
  await tx
    .insertInto('one_time_tokens')
    .values({
      id: tokenHash(token),
      purpose,
      user_id: userId,
      created_at: now,
      expires_at: now + lifeMs,
      used_at: null,
    })
    .execute();
}

/** Uses up a token: the user it was made for, or `undefined` when it is unknown, used or expired. Wins once only. */
export async function spendToken(tx: Transaction, token: string): Promise<string | undefined> {
  const now = Date.now();
  const row = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('id', '=', tokenHash(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id;
}

function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The e-mail address of the user that a token was made for, while it can still be used. */
export async function tokenUser(read: Reader, token: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('one_time_tokens')
    .innerJoin('users', 'users.id', 'one_time_tokens.user_id')
    .select('users.email')
    .where('one_time_tokens.id', '=', tokenHash(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', Date.now())
    .executeTakeFirst();
  return row?.email;
}
