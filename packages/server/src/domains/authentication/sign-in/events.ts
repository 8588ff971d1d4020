import type { Transaction } from '../../../platform/records/records.ts';
import type { Audit, AuditAction } from '../../audit/index.ts';
import { accountsOf } from '../../identity/groups/index.ts';

/** Event of a user's sign-in. */
interface SignInEvent {
  userId: string;
  /** `session:<id>`, `grant:<id>`, `sign-in` before there is a session, `link` or `job`. */
  via: string;
  action: AuditAction;
  outcome: 'done' | 'refused';
  /** Account that the sign-in is limited to: others record nothing. */
  onlyAccount?: string | undefined;
  requestId?: string;
  details?: Record<string, string | number | boolean>;
}

/** Records an event in each account of the user, last in the caller's transaction. */
export async function recordInAccounts(
  audit: Audit,
  tx: Transaction,
  { userId, onlyAccount, ...event }: SignInEvent,
): Promise<void> {
  for (const account of await accountsOf(tx, userId)) {
    if (onlyAccount !== undefined && account !== onlyAccount) continue;
    await audit.append(tx, { ...event, account, userId, resource: { type: 'account', id: account } });
  }
}
