import type { PageRequest } from '../../../../api/paging.ts';
import { newId, timestamp } from '../../../../base/ids.ts';
import { notFound, Problem } from '../../../../base/problem.ts';
import type { JobKind, Jobs } from '../../../../platform/jobs/index.ts';
import type { Reader, Records, Transaction } from '../../../../platform/records/records.ts';
import type { WebhookDeliveriesTable, WebhooksTable } from '../../../../platform/records/schema-webhooks.ts';
import type { Message } from '../feed.ts';

/** Kind of the job that sends a delivery. */
export const deliveryJob: JobKind = 'webhooks.deliver';

/** Deliveries of a webhook that may wait; later events wait in the audit log. */
export const waitingMax = 500;
/** Retention of deliveries. */
const keptMs = 30 * 24 * 3_600_000;
const sweptMax = 1000;
/** Runs of a job that a process may lose. */
const runsMax = 10;

/** Event for a webhook, before it has an id. */
interface NewDelivery {
  webhook: Pick<WebhooksTable, 'id' | 'account_id'>;
  action: string;
  message: Message;
}

/** Deliveries of webhooks: what is to be sent, and what was. */
export class Deliveries {
  readonly #records: Records;
  readonly #jobs: Jobs;

  constructor({ records, jobs }: { records: Records; jobs: Jobs }) {
    this.#records = records;
    this.#jobs = jobs;
  }

  /** Queues an event in the caller's transaction. */
  async queue(tx: Transaction, { webhook, action, message }: NewDelivery): Promise<WebhookDeliveriesTable> {
    const now = Date.now();
    const row: WebhookDeliveriesTable = {
      ...{ id: newId(), webhook_id: webhook.id, account_id: webhook.account_id },
      ...{ action, kind: message.type, body: JSON.stringify(message), state: 'waiting', attempts: 0 },
      ...{ status: null, failure: null, took_ms: null, created_at: now, sent_at: null, next_at: now },
    };
    await tx.insertInto('webhook_deliveries').values(row).execute();
    await this.queueJob(tx, row, now);
    return row;
  }

  /** Queues the next attempt of a delivery. One webhook sends one message at a time. */
  async queueJob(
    tx: Transaction,
    { id, webhook_id, account_id: account }: WebhookDeliveriesTable,
    notBefore: number,
  ): Promise<void> {
    await this.#jobs.add(tx, {
      ...{ kind: deliveryJob, class: 'webhook', payload: { delivery: id } },
      ...{ whose: { account, project: '', user: '' }, exclusiveKey: webhook_id },
      ...{ attemptsMax: runsMax, notBefore },
    });
  }

  /** Queues a message without an event, to try the receiver. Problem 429 where too much waits. */
  async test(webhook: WebhooksTable, userId: string): Promise<WebhookDeliveriesTable> {
    return this.#records.transact(async (tx) => {
      await requireFewWaiting(tx, webhook.id);
      const message: Message = {
        type: 'webhook.test',
        timestamp: timestamp(Date.now()),
        data: { accountId: webhook.account_id, resource: { type: 'webhook', id: webhook.id }, userId },
      };
      return this.queue(tx, { webhook, action: '', message });
    });
  }

  /** Queues a delivery once more under the same id, unless it waits. Problem 429 where too much waits. */
  async replay(webhook: WebhooksTable, id: string): Promise<WebhookDeliveriesTable> {
    return this.#records.transact(async (tx) => {
      const present = await find(tx, webhook.id, id);
      if (!present) throw notFound();
      if (present.state === 'waiting') return present;
      await requireFewWaiting(tx, webhook.id);
      const now = Date.now();
      const row = { ...present, state: 'waiting' as const, attempts: 0, failure: null, next_at: now };
      await tx.updateTable('webhook_deliveries').set(row).where('id', '=', id).execute();
      await this.queueJob(tx, row, now);
      return row;
    });
  }

  find(webhookId: string, id: string): Promise<WebhookDeliveriesTable | undefined> {
    return find(this.#records.read, webhookId, id);
  }

  /** Lists the deliveries of a webhook, newest first, one row more than the page. */
  async list(
    webhookId: string,
    state: WebhookDeliveriesTable['state'] | undefined,
    page: PageRequest,
  ): Promise<WebhookDeliveriesTable[]> {
    let query = this.#records.read
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .orderBy('id', 'desc')
      .limit(page.size + 1);
    if (state !== undefined) query = query.where('state', '=', state);
    if (page.after) query = query.where('id', '<', String(page.after[0]));
    return query.execute();
  }

  /** Removes deliveries a month after they were made. */
  async sweep(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const { numDeletedRows } = await this.#records.transact((tx) =>
        tx
          .deleteFrom('webhook_deliveries')
          .where('id', 'in', (query) =>
            query
              .selectFrom('webhook_deliveries')
              .select('id')
              .where('created_at', '<', Date.now() - keptMs)
              .limit(sweptMax),
          )
          .executeTakeFirst(),
      );
      if (numDeletedRows < BigInt(sweptMax)) return;
    }
  }
}

/** Counts what waits for a webhook. */
export async function waitingOf(read: Reader | Transaction, webhookId: string): Promise<number> {
  const { count } = await read
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function requireFewWaiting(tx: Transaction, webhookId: string): Promise<void> {
  if ((await waitingOf(tx, webhookId)) < waitingMax) return;
  const message = `${waitingMax} deliveries of this webhook wait. Send again when some have ended.`;
  throw new Problem(429, 'TOO_MANY_REQUESTS', message, { retryAfterS: 60 });
}

async function find(
  read: Reader | Transaction,
  webhookId: string,
  id: string,
): Promise<WebhookDeliveriesTable | undefined> {
  return read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
}
