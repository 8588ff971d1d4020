import type { JobHandler, JobRun } from '../../../../platform/jobs/index.ts';
import { type Outbound, OutboundError } from '../../../../platform/outbound/outbound.ts';
import type { Transaction } from '../../../../platform/records/records.ts';
import type { WebhookDeliveriesTable, WebhooksTable } from '../../../../platform/records/schema-webhooks.ts';
import type { Secrets } from '../../../../platform/secrets/secrets.ts';
import { type Message, mayReceive } from '../feed.ts';
import { deliveryJob } from './deliveries.ts';
import { signedHeaders } from './signature.ts';
import { makerOf, type SpreadDeps } from './spread.ts';
import { formerContext, secretContext } from './webhook.ts';

interface SendDeps extends SpreadDeps {
  secrets: Secrets;
  outbound: Outbound;
}

const timeoutMs = 15_000;
/** Bytes of an answer; none of them is read. */
const answerMax = 64 * 1024;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Waits between the attempts: ten attempts in three days, those of Standard Webhooks. */
const waitsMs = [
  ...[5000, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs],
  ...[10 * hourMs, 14 * hourMs, 20 * hourMs, 24 * hourMs],
];
/** Time of failures alone after which a webhook is disabled. */
const failingMaxMs = 3 * 24 * hourMs;

/** Result of one attempt. */
interface Attempt {
  status: number | null;
  /** Absent: delivered. */
  failure?: string;
  tookMs: number;
}

/** Handles the jobs that send deliveries. A failed attempt queues the next one. */
export function sendDeliveries(deps: SendDeps): JobHandler {
  return {
    kind: deliveryJob,
    run: (run) => send(deps, run),
    onExhausted: async (tx, { payload }) => {
      await tx
        .updateTable('webhook_deliveries')
        .set({ state: 'failed', failure: 'The service was interrupted too often. Send it again.' })
        .where('id', '=', payload['delivery'] ?? '')
        .where('state', '=', 'waiting')
        .execute();
    },
  };
}

async function send(deps: SendDeps, run: JobRun): Promise<void> {
  const { records, callers, secrets } = deps;
  const delivery = await records.read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', run.job.payload['delivery'] ?? '')
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  const webhook = await records.read
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', delivery?.webhook_id ?? '')
    .executeTakeFirst();
  if (!delivery || !webhook) return;
  const isTest = delivery.action === '';
  if (webhook.state === 'disabled' && !isTest)
    return end(deps, run, delivery, { state: 'failed', failure: 'The webhook is disabled.' });
  const maker = await makerOf(callers, webhook);
  const message = JSON.parse(delivery.body) as Message;
  const { action } = delivery;
  if (!maker || !(isTest || (await mayReceive(records.read, maker, { action, message }))))
    return end(deps, run, delivery, {
      state: 'withheld',
      failure: 'The maker of the webhook may not know of this event any more.',
    });
  const attempt = await post(deps, webhook, delivery, liveSecrets(webhook, secrets), run.signal);
  await records.transact(async (tx) => {
    if (await run.holdsLease(tx)) await note(deps, tx, { webhook, delivery, attempt });
  });
}

/** Secrets that sign: the present one, and the former one until its end. */
function liveSecrets(webhook: WebhooksTable, secrets: Secrets): string[] {
  const { id, secret_sealed, former_secret_sealed: former, former_until } = webhook;
  const isLive = former !== null && (former_until ?? 0) > Date.now();
  return [
    secrets.open(secret_sealed, secretContext(id)),
    ...(isLive ? [secrets.open(former, formerContext(id))] : []),
  ];
}

async function post(
  { outbound }: SendDeps,
  { url }: WebhooksTable,
  delivery: WebhookDeliveriesTable,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<Attempt> {
  const startedAt = performance.now();
  const tookMs = () => Math.round(performance.now() - startedAt);
  const { id, body } = delivery;
  const headers = { 'content-type': 'application/json', ...signedHeaders({ id, body }, secrets, Date.now()) };
  const limits = { timeoutMs, idleMs: timeoutMs, bytesMax: answerMax, signal };
  try {
    const request = { method: 'POST' as const, url, headers, body, ...limits };
    const status = await outbound.exchange(request, async (answer) => answer.status);
    if (status >= 200 && status < 300) return { status, tookMs: tookMs() };
    const isElsewhere = status >= 300 && status < 400;
    const failure = isElsewhere
      ? `The receiver answered with status ${status}: enter the address that it redirects to.`
      : `The receiver answered with status ${status}.`;
    return { status, failure, tookMs: tookMs() };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OutboundError)) throw error;
    return { status: null, failure: `The receiver: ${error.message}.`, tookMs: tookMs() };
  }
}

/** Records an attempt, plans the next one, and disables a webhook whose receiver is gone. */
async function note(
  { deliveries }: SendDeps,
  tx: Transaction,
  made: { webhook: WebhooksTable; delivery: WebhookDeliveriesTable; attempt: Attempt },
): Promise<void> {
  const { webhook, delivery, attempt } = made;
  const now = Date.now();
  const attempts = delivery.attempts + 1;
  const waitMs = waitsMs[attempts - 1];
  const isGone = attempt.status === 410;
  // A test is tried once: a person waits for its result.
  const isOver = waitMs === undefined || isGone || delivery.action === '';
  const state = attempt.failure === undefined ? 'delivered' : isOver ? 'failed' : 'waiting';
  const nextAt = state === 'waiting' ? now + Math.round((waitMs ?? 0) * (0.9 + Math.random() / 5)) : null;
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set({ state, attempts, status: attempt.status, failure: attempt.failure ?? null })
    .set({ took_ms: attempt.tookMs, sent_at: now, next_at: nextAt })
    .where('id', '=', delivery.id)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  if (nextAt !== null) await deliveries.queueJob(tx, delivery, nextAt);
  if (delivery.action === '' && attempt.failure !== undefined) return;
  const since = webhook.failing_since ?? now;
  const failingSince = attempt.failure === undefined ? null : since;
  const isLasting = failingSince !== null && now - failingSince >= failingMaxMs;
  const why = isGone
    ? 'The receiver answered with status 410: it needs no more events.'
    : `Every attempt has failed for three days. The last one: ${attempt.failure}`;
  await tx
    .updateTable('webhooks')
    .set({ failing_since: failingSince })
    .$if(isGone || isLasting, (query) => query.set({ state: 'disabled', disabled_why: why, updated_at: now }))
    .where('id', '=', webhook.id)
    .execute();
}

async function end(
  { records }: SendDeps,
  run: JobRun,
  { id }: WebhookDeliveriesTable,
  how: Pick<WebhookDeliveriesTable, 'state' | 'failure'>,
): Promise<void> {
  await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return;
    await tx
      .updateTable('webhook_deliveries')
      .set({ ...how, next_at: null })
      .where('id', '=', id)
      .where('state', '=', 'waiting')
      .execute();
  });
}
