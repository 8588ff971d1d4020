import { Audit } from '../domains/audit/index.ts';
import type { Filling } from '../platform/records/index.ts';
import type { Manifest } from './manifest.ts';

/**
 * What must not go on where the backup left it. Work that ran begins anew. Whoever had signed in signs in again, and links that set
 * a password are void: some may have been ended or used after the backup, which these records do not know. Each account is told.
 */
export async function settleRestored(
  { tx, dialect }: Filling,
  { id, madeAt }: Manifest,
  identity: string,
): Promise<void> {
  const now = Date.now();
  await tx
    .updateTable('jobs')
    .set({ state: 'queued', not_before: 0, owner: null, lease: null, lease_until: null })
    .set((row) => ({ attempts: row('attempts', '-', 1) }))
    .where('state', '=', 'running')
    .execute();
  await tx.deleteFrom('idempotency_keys').where('state', '=', 'running').execute();
  await tx.updateTable('sessions').set({ ended_at: now }).where('ended_at', 'is', null).execute();
  await tx.updateTable('grants').set({ revoked_at: now }).where('revoked_at', 'is', null).execute();
  await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('purpose', 'in', ['first-password', 'new-password'])
    .where('used_at', 'is', null)
    .execute();
  // The service of the backup may live: what it comes to after the backup must not pass for what nobody needs here.
  await tx.deleteFrom('identity').execute();
  await tx.insertInto('identity').values({ only: 1, id: identity, store_marked: 1 }).execute();
  const audit = new Audit({ dialect, transact: (work) => work(tx) });
  const accounts = await tx.selectFrom('accounts').select('id').orderBy('id').execute();
  for (const { id: account } of accounts) {
    await audit.append(tx, {
      account,
      userId: null,
      via: 'host',
      action: 'admin.restore',
      resource: { type: 'account', id: account },
      outcome: 'done',
      details: { backup: id, madeAt },
    });
  }
}
