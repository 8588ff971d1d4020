import type { Transaction } from '../../platform/records/records.ts';
import type { GrantsTable } from '../../platform/records/schema-sign-in.ts';
import type { Audit } from '../audit/index.ts';
import type { Client } from '../clients/index.ts';
import { accountsOf } from '../groups/index.ts';

/** What became of a grant. */
export interface GrantEvent {
  action: 'oauth.signIn' | 'oauth.clientCredentials' | 'oauth.reuse' | 'oauth.revoke';
  outcome: 'done' | 'refused';
  details?: Record<string, string>;
}

/**
 * Tells the account of the client, in the caller's transaction, last in it. The command line belongs to none: what it may do it may in
 * all accounts of who lets it in, so each of them is told.
 */
export async function tellOfGrant(
  audit: Audit,
  tx: Transaction,
  grant: Pick<GrantsTable, 'id' | 'user_id'>,
  client: Client,
  { action, outcome, details }: GrantEvent,
): Promise<void> {
  const accounts = client.account === '' ? await accountsOf(tx, grant.user_id) : [client.account];
  for (const account of accounts)
    await audit.append(tx, {
      account,
      userId: grant.user_id,
      via: `client:${client.id}`,
      action,
      // Clients are an account's own, but for the command line.
      resource: client.account === '' ? { type: 'account', id: account } : { type: 'client', id: client.id },
      outcome,
      details: details ?? { grant: grant.id },
    });
}
