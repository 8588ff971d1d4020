import type { Caller } from '../../access/caller.ts';
import type { PageRequest } from '../../api/paging.ts';
import { newId } from '../../base/ids.ts';
import { conflict, notFound, type Problem } from '../../base/problem.ts';
import { nextTime, readCron } from '../../base/schedule.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { EhrsTable } from '../../platform/records/schema-ehrs.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Audit, type AuditAction, actor } from '../audit/index.ts';
import { requireProject } from '../files/projects/index.ts';
import { lockAccount } from '../identity/groups/index.ts';
import { credentialsOf, type EhrSettings, type Jwks, jwksOf, publicKeyColumns, sealed } from './ehr.ts';
import { requireValid } from './validate.ts';

type Clearable = 'apiKey' | 'apiSecret' | 'schedule';

/** Fields of a request; absent ones keep their value or get the default. `null` clears. */
type EhrChange = { [K in Exclude<keyof EhrSettings, Clearable>]?: EhrSettings[K] } & {
  [K in Clearable]?: NonNullable<EhrSettings[K]> | null;
};

type By = { caller: Caller; requestId: string };

const defaults: Omit<EhrSettings, 'name' | 'apiBaseUrl'> = {
  ehrType: 'FHIR',
  apiAuthType: 'header',
  ingestionModel: 'ASYNCHRONOUS',
  delayBetweenRecords: 0,
  idPrefix: '',
};
/** Maximum configurations of an account, which bounds the search for due schedules. */
const ehrsMax = 500;

/** EHR systems of accounts. The database holds keys and secrets only sealed. */
export class Ehrs {
  readonly #records: Records;
  readonly #secrets: Secrets;
  readonly #audit: Audit;
  readonly #outbound: Pick<Outbound, 'faultIn'>;
  /** Callbacks on deletion, in its transaction; they return keys of blobs no longer needed. */
  readonly deleted: ((tx: Transaction, id: string) => Promise<string[]>)[] = [];

  constructor(deps: {
    records: Records;
    secrets: Secrets;
    audit: Audit;
    outbound: Pick<Outbound, 'faultIn'>;
  }) {
    this.#records = deps.records;
    this.#secrets = deps.secrets;
    this.#audit = deps.audit;
    this.#outbound = deps.outbound;
  }

  /** Returns the public keys of a configuration that signs, for any caller who knows its id. */
  async publicKeys(id: string): Promise<Jwks | undefined> {
    const row = await this.#records.read
      .selectFrom('ehrs')
      .innerJoin('accounts', 'accounts.id', 'ehrs.account_id')
      .select('ehrs.public_key')
      .where('ehrs.id', '=', id)
      .executeTakeFirst();
    return row?.public_key ? jwksOf(row.public_key) : undefined;
  }

  async find(id: string): Promise<EhrsTable | undefined> {
    return this.#records.read.selectFrom('ehrs').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Lists configurations, oldest first, one row more than the page. */
  async list(account: string, page: PageRequest): Promise<EhrsTable[]> {
    let query = this.#records.read
      .selectFrom('ehrs')
      .selectAll()
      .where('account_id', '=', account)
      .orderBy('id')
      .limit(page.size + 1);
    if (page.after) query = query.where('id', '>', String(page.after[0]));
    return query.execute();
  }

  async create(
    account: string,
    input: EhrChange & { name: string; apiBaseUrl: string },
    by: By,
  ): Promise<EhrsTable> {
    const settings = merge({ ...defaults, name: input.name, apiBaseUrl: input.apiBaseUrl }, input);
    requireValid(settings, this.#outbound);
    const now = Date.now();
    const id = newId();
    const row: EhrsTable = {
      account_id: account,
      ...this.#columns(id, settings),
      ...publicKeyColumns(settings, undefined, now),
      ...scheduled(settings, by.caller.userId, now),
      creator_id: by.caller.userId,
      created_at: now,
      updated_at: now,
    };
    await this.#records.transact(async (tx) => {
      await requireRoom(tx, account);
      if (settings.schedule) await requireProject(tx, settings.schedule.datasetId);
      await tx.insertInto('ehrs').values(row).execute();
      await this.#appendAudit(tx, 'ehrs.create', row, by, {});
    });
    return row;
  }

  /** Changes the given fields. Problem 409 if it would now fill a project that permissions were not checked for. */
  async update(ehr: EhrsTable, change: EhrChange, by: By): Promise<EhrsTable> {
    const { id } = ehr;
    return this.#records.transact(async (tx) => {
      const present = await lockEhr(tx, id);
      if (!present) throw notFound();
      const filled = filledAfter(change, present);
      if (filled !== undefined && filled !== filledAfter(change, ehr)) throw changed();
      const settings = merge(settingsOf(present, this.#secrets), change);
      requireValid(settings, this.#outbound);
      const now = Date.now();
      if (change.schedule) await requireProject(tx, change.schedule.datasetId);
      const row: EhrsTable = {
        ...present,
        ...this.#columns(id, settings),
        ...publicKeyColumns(settings, present, now),
        ...(change.schedule !== undefined && scheduled(settings, by.caller.userId, now)),
        updated_at: now,
      };
      await tx.updateTable('ehrs').set(row).where('id', '=', id).execute();
      const fields = Object.keys(change).filter((name) => Object.hasOwn(settingsShape, name));
      await this.#appendAudit(tx, 'ehrs.update', row, by, { fields: fields.sort().join(' ') });
      return row;
    });
  }

  /** Returns the keys of blobs no longer needed. */
  async delete(ehr: EhrsTable, by: By): Promise<string[]> {
    return this.#records.transact(async (tx) => {
      const gone = await tx.deleteFrom('ehrs').where('id', '=', ehr.id).executeTakeFirst();
      if (gone.numDeletedRows === 0n) throw notFound();
      const freed: string[] = [];
      for (const listener of this.deleted) freed.push(...(await listener(tx, ehr.id)));
      await this.#appendAudit(tx, 'ehrs.delete', ehr, by, {});
      return freed;
    });
  }

  #columns(id: string, settings: EhrSettings) {
    return {
      id,
      name: settings.name,
      ehr_type: settings.ehrType,
      api_base_url: settings.apiBaseUrl,
      ...sealed(id, settings, this.#secrets),
      api_auth_type: settings.apiAuthType,
      ingestion_model: settings.ingestionModel,
      delay_between_records_ms: settings.delayBetweenRecords,
      id_prefix: settings.idPrefix,
    };
  }

  async #appendAudit(
    tx: Transaction,
    action: AuditAction,
    row: EhrsTable,
    by: By,
    details: Record<string, string>,
  ): Promise<void> {
    await this.#audit.append(tx, {
      account: row.account_id,
      ...actor(by.caller, by.requestId),
      action,
      resource: { type: 'ehr', id: row.id },
      outcome: 'done',
      details,
    });
  }
}

const settingsShape: Record<keyof EhrSettings, true> = {
  name: true,
  ehrType: true,
  apiBaseUrl: true,
  apiKey: true,
  apiSecret: true,
  apiAuthType: true,
  ingestionModel: true,
  delayBetweenRecords: true,
  idPrefix: true,
  schedule: true,
};

/** Returns the project that a changed configuration will fill through a new schedule or address. */
export function filledAfter(
  change: Pick<EhrChange, 'schedule' | 'apiBaseUrl'>,
  present: EhrsTable,
): string | undefined {
  if (change.schedule) return change.schedule.datasetId;
  if (change.schedule === null || change.apiBaseUrl === undefined) return undefined;
  return present.schedule_project_id ?? undefined;
}

function changed(): Problem {
  const message = 'The configuration was changed meanwhile. Read it, and change it again if needed.';
  return conflict('EHR_CHANGED', message);
}

/** Locks a configuration until the transaction ends, against changes and new syncs. */
export async function lockEhr(tx: Transaction, id: string): Promise<EhrsTable | undefined> {
  return tx.updateTable('ehrs').set({ id }).where('id', '=', id).returningAll().executeTakeFirst();
}

function settingsOf(row: EhrsTable, secrets: Secrets): EhrSettings {
  const { keyReplacedAt: _, ...credentials } = credentialsOf(row, secrets);
  return {
    name: row.name,
    ehrType: row.ehr_type,
    apiBaseUrl: row.api_base_url,
    ...credentials,
    apiAuthType: row.api_auth_type,
    ingestionModel: row.ingestion_model,
    delayBetweenRecords: row.delay_between_records_ms,
    idPrefix: row.id_prefix,
    ...(row.schedule_cron !== null &&
      row.schedule_project_id !== null && {
        schedule: { cron: row.schedule_cron, datasetId: row.schedule_project_id },
      }),
  };
}

function merge(present: EhrSettings, change: EhrChange): EhrSettings {
  const merged: Record<string, unknown> = { ...present };
  for (const name of Object.keys(settingsShape)) {
    const given = change[name as keyof EhrSettings];
    if (given === null) delete merged[name];
    else if (given !== undefined) merged[name] = given;
  }
  // A private key never becomes a password, which is shown and sent to the system.
  const wasKey = present.apiAuthType === 'private_key_jwt' && merged['apiAuthType'] !== 'private_key_jwt';
  if (wasKey && change.apiSecret === undefined) delete merged['apiSecret'];
  return merged as unknown as EhrSettings;
}

function scheduled({ schedule }: EhrSettings, userId: string, now: number) {
  const times = schedule && readCron(schedule.cron);
  if (!schedule || typeof times !== 'object') return unscheduled;
  return {
    schedule_cron: schedule.cron,
    schedule_project_id: schedule.datasetId,
    schedule_user_id: userId,
    schedule_at: nextTime(times, now) ?? null,
  };
}

/** Columns of a configuration without a schedule. */
export const unscheduled = {
  schedule_cron: null,
  schedule_project_id: null,
  schedule_user_id: null,
  schedule_at: null,
};

async function requireRoom(tx: Transaction, account: string): Promise<void> {
  // The lock makes concurrent requests count one after the other.
  await lockAccount(tx, account);
  const { count } = await tx
    .selectFrom('ehrs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  if (Number(count) >= ehrsMax)
    throw conflict(
      'TOO_MANY_EHRS',
      `An account may have ${ehrsMax} EHR systems. Delete those that are not used.`,
    );
}
