import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { tokenHash } from '../../../platform/secrets/secret-token.ts';

/** Purpose of a link; a token works for its purpose only. */
export type LinkPurpose = 'first-password' | 'new-password' | 'invitation' | 'opening';

/** Path of a link that signs in, once. */
export const openingPath = '/v1/set-up/console';

/** Retention of expired tokens, so that their links can explain it. */
const rememberedMs = 90 * 86_400_000;

/** State of a token: its subject, and whether it is valid. */
interface KnownToken {
  /** `first-password`, `new-password`, `opening`: a user's id. `invitation`: an invitation's id. */
  subject: string;
  used: boolean;
  expired: boolean;
}

/** Stores a token for one use, as a hash. */
export async function storeToken(
  tx: Transaction,
  token: string,
  { purpose, subject, lifeMs }: { purpose: LinkPurpose; subject: string; lifeMs: number },
): Promise<void> {
  const now = Date.now();
  const times = { created_at: now, expires_at: now + lifeMs, used_at: null };
  await tx
    .insertInto('one_time_tokens')
    .values({ id: tokenHash(token), purpose, subject_id: subject, ...times })
    .execute();
}

/**
 * Uses up a token and returns its subject; `undefined` when it is unknown, used or expired. One of several
 * concurrent calls succeeds.
 */
export async function spendToken(
  tx: Transaction,
  token: string,
  purpose: LinkPurpose,
): Promise<string | undefined> {
  const now = Date.now();
  const row = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('id', '=', tokenHash(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('subject_id')
    .executeTakeFirst();
  return row?.subject_id;
}

/** Uses up all tokens of a subject: its links become void. */
export async function spendTokensOf(tx: Transaction, subject: string, purpose: LinkPurpose): Promise<void> {
  await tx
    .updateTable('one_time_tokens')
    .set({ used_at: Date.now() })
    .where('subject_id', '=', subject)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .execute();
}

/** Finds a token without using it: for pages, which must change nothing on GET. */
export async function findToken(
  read: Reader | Transaction,
  token: string,
  purpose: LinkPurpose,
): Promise<KnownToken | undefined> {
  const row = await read
    .selectFrom('one_time_tokens')
    .select(['subject_id', 'used_at', 'expires_at'])
    .where('id', '=', tokenHash(token))
    .where('purpose', '=', purpose)
    .executeTakeFirst();
  if (!row) return undefined;
  return { subject: row.subject_id, used: row.used_at !== null, expired: row.expires_at <= Date.now() };
}

/** Deletes long-expired tokens. */
export async function sweepTokens(tx: Transaction): Promise<void> {
  await tx
    .deleteFrom('one_time_tokens')
    .where('expires_at', '<', Date.now() - rememberedMs)
    .execute();
}
