import type { Caller } from '../../../../access/caller.ts';
import { eachAlone } from '../../../../platform/concurrency/each-alone.ts';
import type { PlatformLog } from '../../../../platform/records/log.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { WebhooksTable } from '../../../../platform/records/schema-webhooks.ts';
import type { Callers } from '../../../identity/callers/index.ts';
import { type AccountEvent, mayReceive, readFeed } from '../feed.ts';
import { type Deliveries, waitingMax, waitingOf } from './deliveries.ts';
import { attributesOfWebhook, filterOf } from './webhook.ts';

/** Reads of the audit log in one round, after which other webhooks have their turn. */
const readsMax = 20;
/** Webhooks with news in one round. */
const webhooksMax = 500;

export interface SpreadDeps {
  records: Records;
  log: PlatformLog;
  callers: Callers;
  deliveries: Deliveries;
}

/** Turns new entries of the audit log into deliveries of the active webhooks: a round, repeated every few seconds. */
export async function spreadEvents(deps: SpreadDeps, signal: AbortSignal): Promise<void> {
  const { records, log } = deps;
  const behind = await records.read
    .selectFrom('webhooks')
    .innerJoin('audit_heads', 'audit_heads.account_id', 'webhooks.account_id')
    .selectAll('webhooks')
    .where('webhooks.state', '=', 'active')
    .whereRef('webhooks.position', '<', 'audit_heads.sequence')
    .limit(webhooksMax)
    .execute();
  await eachAlone(behind, (webhook) => catchUp(deps, webhook, signal), {
    log,
    failed: 'the events of a webhook could not be queued; it is tried again',
    about: ({ id: webhookId }) => ({ webhookId }),
    signal,
  });
}

async function catchUp(deps: SpreadDeps, webhook: WebhooksTable, signal: AbortSignal): Promise<void> {
  const maker = await makerOf(deps.callers, webhook);
  if (!maker) return disable(deps.records, webhook, 'Its maker may not administer the account any more.');
  const { events: kinds, datasetId } = filterOf(webhook);
  const { read } = deps.records;
  let { position } = webhook;
  for (let reads = 0; reads < readsMax; reads += 1) {
    signal.throwIfAborted();
    if ((await waitingOf(read, webhook.id)) >= waitingMax) return;
    const feed = await readFeed(read, webhook.account_id, position, datasetId);
    const wanted: AccountEvent[] = [];
    for (const event of feed.events)
      if (isAmong(kinds, event) && (await mayReceive(read, maker, event))) wanted.push(event);
    if (!(await advance(deps, webhook, { from: position, to: feed.position, wanted }))) return;
    if (feed.isEnd) return;
    position = feed.position;
  }
}

function isAmong(kinds: readonly string[], { message }: AccountEvent): boolean {
  return kinds.length === 0 || kinds.includes(message.type);
}

/** Queues events and moves on, in one transaction; false if the webhook changed meanwhile. */
async function advance(
  { records, deliveries }: SpreadDeps,
  webhook: WebhooksTable,
  { from, to, wanted }: { from: number; to: number; wanted: readonly AccountEvent[] },
): Promise<boolean> {
  return records.transact(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('webhooks')
      .set({ position: to })
      .where('id', '=', webhook.id)
      .where('state', '=', 'active')
      .where('position', '=', from)
      .where('updated_at', '=', webhook.updated_at)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    for (const { action, message } of wanted) await deliveries.queue(tx, { webhook, action, message });
    return true;
  });
}

/** Returns the maker of a webhook as a caller, while allowed to keep it. */
export async function makerOf(
  callers: Callers,
  webhook: Pick<WebhooksTable, 'creator_id' | 'account_id' | 'id'>,
): Promise<Caller | undefined> {
  const { creator_id: userId, account_id: keyAccount } = webhook;
  const maker = await callers.resolve({ userId, via: 'job', keyAccount });
  return maker?.may('webhooks.deliver', attributesOfWebhook(webhook)) ? maker : undefined;
}

/** Disables a webhook, with the reason for its people. */
async function disable(records: Records, { id }: Pick<WebhooksTable, 'id'>, why: string): Promise<void> {
  await records.transact((tx) =>
    tx
      .updateTable('webhooks')
      .set({ state: 'disabled', disabled_why: why, updated_at: Date.now() })
      .where('id', '=', id)
      .where('state', '=', 'active')
      .execute(),
  );
}
