import type { Transaction } from '../../../platform/records/records.ts';
import type { Remover } from '../../deletion/index.ts';

/** Removes sign-ins and grants limited to an account, then its clients and their users. */
export const oauthRemovers: readonly Remover[] = [
  limitedTo('grants'),
  limitedTo('sessions'),
  { of: 'account', table: 'clients', remove: removeClients },
];

/** Removes sign-ins or grants limited to one account. */
function limitedTo(table: 'grants' | 'sessions'): Remover {
  return {
    of: 'account',
    table,
    remove: async (tx, account, rowsMax) => {
      const batch = tx.selectFrom(table).select('id').where('only_account', '=', account).limit(rowsMax);
      const gone = await tx.deleteFrom(table).where('id', 'in', batch).executeTakeFirst();
      return { rows: Number(gone.numDeletedRows), blobs: [] };
    },
  };
}

async function removeClients(tx: Transaction, account: string, rowsMax: number) {
  const batch = await tx
    .selectFrom('clients')
    .select('id')
    .where('account_id', '=', account)
    .limit(rowsMax)
    .execute();
  const ids = batch.map(({ id }) => id);
  if (ids.length === 0) return { rows: 0, blobs: [] };
  await tx.deleteFrom('users').where('id', 'in', ids).where('type', '=', 'client').execute();
  const gone = await tx.deleteFrom('clients').where('id', 'in', ids).executeTakeFirst();
  return { rows: Number(gone.numDeletedRows), blobs: [] };
}

/**
 * Ends the sign-ins and grants of a leaving member that are limited to the account: applications must not
 * identify the user any longer. The caller announces the user.
 */
export async function endLimitedSignIns(tx: Transaction, account: string, userId: string): Promise<void> {
  const now = Date.now();
  await tx
    .updateTable('grants')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('only_account', '=', account)
    .where('revoked_at', 'is', null)
    .execute();
  await tx
    .updateTable('sessions')
    .set({ ended_at: now })
    .where('user_id', '=', userId)
    .where('only_account', '=', account)
    .where('ended_at', 'is', null)
    .execute();
}
