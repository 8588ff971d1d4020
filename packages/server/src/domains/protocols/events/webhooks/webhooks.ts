import type { Caller } from '../../../../access/caller.ts';
import type { PageRequest } from '../../../../api/paging.ts';
import { newId } from '../../../../base/ids.ts';
import { conflict, invalidInput, notFound } from '../../../../base/problem.ts';
import type { Outbound } from '../../../../platform/outbound/outbound.ts';
import { insecurity } from '../../../../platform/outbound/secure-address.ts';
import type { Records, Transaction } from '../../../../platform/records/records.ts';
import type { WebhooksTable } from '../../../../platform/records/schema-webhooks.ts';
import type { Secrets } from '../../../../platform/secrets/secrets.ts';
import { type Audit, type AuditAction, actor } from '../../../audit/index.ts';
import { requireProject } from '../../../files/projects/index.ts';
import { lockAccount } from '../../../identity/groups/index.ts';
import { headOf } from '../feed.ts';
import { newSecret } from './signature.ts';
import { attributesOfWebhook, type Filter, filterOf, formerContext, secretContext } from './webhook.ts';

type By = { caller: Caller; requestId: string };

/** Fields of a request; `datasetId: null` clears it. */
interface WebhookChange {
  name?: string;
  url?: string;
  events?: Filter['events'];
  datasetId?: string | null;
  state?: WebhooksTable['state'];
}

export interface WebhookDeps {
  records: Records;
  secrets: Secrets;
  audit: Audit;
  outbound: Outbound;
}

/** Webhooks of an account. */
const webhooksMax = 20;

/** Webhooks of accounts. The records hold their secrets only sealed. */
export class Webhooks {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  async find(id: string): Promise<WebhooksTable | undefined> {
    return this.#deps.records.read.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Lists webhooks, oldest first, one row more than the page. */
  async list(account: string, page: PageRequest): Promise<WebhooksTable[]> {
    let query = this.#deps.records.read
      .selectFrom('webhooks')
      .selectAll()
      .where('account_id', '=', account)
      .orderBy('id')
      .limit(page.size + 1);
    if (page.after) query = query.where('id', '>', String(page.after[0]));
    return query.execute();
  }

  /** Creates a webhook, which gets the events from now on; answers its secret as well. */
  async create(
    account: string,
    { name, url, events = [], datasetId }: WebhookChange & { name: string; url: string },
    by: By,
  ): Promise<{ row: WebhooksTable; secret: string }> {
    this.#requireReachable(url);
    const id = newId();
    const secret = newSecret();
    const now = Date.now();
    const row = await this.#deps.records.transact(async (tx) => {
      await requireRoom(tx, account);
      if (datasetId) await requireProject(tx, datasetId);
      const made: WebhooksTable = {
        ...{ id, account_id: account, creator_id: by.caller.userId, name, url },
        filter: JSON.stringify({ events, ...(datasetId && { datasetId }) } satisfies Filter),
        ...{ state: 'active', disabled_why: null, failing_since: null },
        secret_sealed: this.#deps.secrets.seal(secret, secretContext(id)),
        ...{ former_secret_sealed: null, former_until: null },
        position: await headOf(tx, account),
        ...{ created_at: now, updated_at: now },
      };
      await tx.insertInto('webhooks').values(made).execute();
      await this.#record(tx, 'webhooks.create', made, by);
      return made;
    });
    return { row, secret };
  }

  /** Changes the given fields. One that is enabled again gets the events from then on. */
  async update(id: string, change: WebhookChange, by: By): Promise<WebhooksTable> {
    if (change.url !== undefined) this.#requireReachable(change.url);
    return this.#deps.records.transact(async (tx) => {
      const present = await lockWebhook(tx, id);
      const { datasetId, ...former } = filterOf(present);
      const project = change.datasetId === undefined ? datasetId : change.datasetId;
      if (change.datasetId) await requireProject(tx, change.datasetId);
      const { events = former.events, state = present.state } = change;
      const isEnabled = state === 'active' && present.state === 'disabled';
      const row: WebhooksTable = {
        ...present,
        ...{ name: change.name ?? present.name, url: change.url ?? present.url, state },
        filter: JSON.stringify({ events, ...(project && { datasetId: project }) } satisfies Filter),
        ...(state === 'active' && { disabled_why: null }),
        ...(isEnabled && { failing_since: null, position: await headOf(tx, present.account_id) }),
        updated_at: Date.now(),
      };
      await tx.updateTable('webhooks').set(row).where('id', '=', id).execute();
      await this.#record(tx, 'webhooks.update', row, by, { fields: Object.keys(change).sort().join(' ') });
      return row;
    });
  }

  /** Makes a new secret; the former one signs as well for `formerMs`. */
  async renewSecret(id: string, formerMs: number, by: By): Promise<{ row: WebhooksTable; secret: string }> {
    const { secrets, records } = this.#deps;
    const secret = newSecret();
    const row = await records.transact(async (tx) => {
      const present = await lockWebhook(tx, id);
      const now = Date.now();
      const former = secrets.open(present.secret_sealed, secretContext(id));
      const renewed: WebhooksTable = {
        ...present,
        secret_sealed: secrets.seal(secret, secretContext(id)),
        former_secret_sealed: formerMs > 0 ? secrets.seal(former, formerContext(id)) : null,
        former_until: formerMs > 0 ? now + formerMs : null,
        updated_at: now,
      };
      await tx.updateTable('webhooks').set(renewed).where('id', '=', id).execute();
      await this.#record(tx, 'webhooks.update', renewed, by, { fields: 'secret' });
      return renewed;
    });
    return { row, secret };
  }

  /** Deletes a webhook; what waits is not sent, and its deliveries go with their age. */
  async delete(webhook: WebhooksTable, by: By): Promise<void> {
    await this.#deps.records.transact(async (tx) => {
      const gone = await tx.deleteFrom('webhooks').where('id', '=', webhook.id).executeTakeFirst();
      if (gone.numDeletedRows === 0n) throw notFound();
      await this.#record(tx, 'webhooks.delete', webhook, by);
    });
  }

  #requireReachable(url: string): void {
    const fault = addressFault(url) ?? this.#deps.outbound.faultIn(url);
    if (fault !== undefined) throw invalidInput([{ path: 'body/url', message: fault }]);
  }

  async #record(
    tx: Transaction,
    action: AuditAction,
    row: WebhooksTable,
    by: By,
    details: Record<string, string> = {},
  ): Promise<void> {
    await this.#deps.audit.append(tx, {
      account: row.account_id,
      ...actor(by.caller, by.requestId),
      action,
      resource: attributesOfWebhook(row),
      outcome: 'done',
      details,
    });
  }
}

function addressFault(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:\/\//i.test(address)) return 'must be an absolute URL that begins with https://';
  if (/[^\x21-\x7e]/.test(address)) return 'must be written in ASCII, without blanks';
  if (url.username !== '' || url.password !== '') return 'must hold no user name or password';
  return insecurity(url);
}

async function lockWebhook(tx: Transaction, id: string): Promise<WebhooksTable> {
  const row = await tx
    .updateTable('webhooks')
    .set({ id })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

async function requireRoom(tx: Transaction, account: string): Promise<void> {
  // The lock makes concurrent requests count one after the other.
  await lockAccount(tx, account);
  const { count } = await tx
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  if (Number(count) >= webhooksMax)
    throw conflict(
      'TOO_MANY_WEBHOOKS',
      `An account may have ${webhooksMax} webhooks. Delete those that are not used.`,
    );
}
