import { Audit } from '../../domains/audit/index.ts';
import { keepAll } from '../../platform/blobs/index.ts';
import type { Filling } from '../../platform/records/index.ts';
import type { Manifest } from './manifest.ts';

/** Time without removals from a store that the original service may still use. */
const sharedMs = 14 * 86_400_000;

/**
 * Ends state of the backup that must not continue. Running work restarts. Sign-ins and password links become
 * void, as they may have ended since the backup. Webhooks are disabled: a copy must not speak for the original. The audit log of each account records the restore.
 */
export async function settleRestored(
  { tx, dialect }: Filling,
  { id, madeAt, blobs }: Manifest,
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
    .where('purpose', '<>', 'invitation')
    .where('used_at', 'is', null)
    .execute();
  const why = 'The records were restored from a backup. Enable it where this service takes over.';
  await tx.updateTable('webhooks').set({ state: 'disabled', disabled_why: why }).execute();
  await tx.deleteFrom('blob_intents').where('kind', '=', 'read').execute();
  if (blobs.bytes === 'listed') await keepAll(tx, sharedMs);
  await tx.deleteFrom('identity').execute();
  await tx.insertInto('identity').values({ only: 1, id: identity }).execute();
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
