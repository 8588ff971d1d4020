import type { Transaction } from '../../../platform/records/records.ts';
import type { GrantsTable } from '../../../platform/records/schema-sign-in.ts';
import type { Audit, AuditAction } from '../../audit/index.ts';
import { accountsOf } from '../../identity/groups/index.ts';
import type { Client } from '../clients/index.ts';

/** Event of a grant. */
interface GrantEvent {
  action: AuditAction;
  outcome: 'done' | 'refused';
  requestId: string;
  details?: Record<string, string>;
}

/**
 * Records an event of a grant in the account of the client, last in the caller's transaction. The command
 * line has no account and acts in all accounts of its user, so each records it.
 */
export async function recordGrantEvent(
  audit: Audit,
  tx: Transaction,
  grant: Pick<GrantsTable, 'id' | 'user_id'>,
  client: Client,
  { details, ...event }: GrantEvent,
): Promise<void> {
  const accounts = client.account === '' ? await accountsOf(tx, grant.user_id) : [client.account];
  for (const account of accounts)
    await audit.append(tx, {
      account,
      userId: grant.user_id,
      via: `client:${client.id}`,
      ...event,
      // Clients belong to an account, except the command line.
      resource: client.account === '' ? { type: 'account', id: account } : { type: 'client', id: client.id },
      details: details ?? { grant: grant.id },
    });
}
