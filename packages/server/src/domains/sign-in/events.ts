import type { Transaction } from '../../platform/records/records.ts';
import type { Audit } from '../audit/index.ts';
import { accountsOf } from '../groups/index.ts';

/** Something about how somebody signs in. */
export interface SignInEvent {
  userId: string;
  /** `session:<id>`, `grant:<id>`, `sign-in` before there is a session, `link` or `job`. */
  via: string;
  action: string;
  outcome: 'done' | 'refused';
  /** Signed in for this account only: the others have nothing to do with it. */
  onlyAccount?: string | undefined;
  requestId?: string;
  details?: Record<string, string | number | boolean>;
}

/** Tells each account that the user belongs to, in the caller's transaction, last in it. */
export async function tellAccounts(
  audit: Audit,
  tx: Transaction,
  { userId, onlyAccount, ...event }: SignInEvent,
): Promise<void> {
  for (const account of await accountsOf(tx, userId)) {
    if (onlyAccount !== undefined && account !== onlyAccount) continue;
    await audit.append(tx, { ...event, account, userId, resource: { type: 'account', id: account } });
  }
}
