import { revokeKeysOf } from '../domains/authentication/keys/index.ts';
import { endLimitedSignIns } from '../domains/authentication/oauth/index.ts';
import type { Transaction } from '../platform/records/index.ts';

/** Ends the keys that a user has for an account, and the sign-ins for it alone: the user has left it. */
export async function endCredentialsIn(tx: Transaction, account: string, userId: string): Promise<void> {
  await revokeKeysOf(tx, userId, account);
  await endLimitedSignIns(tx, account, userId);
}
