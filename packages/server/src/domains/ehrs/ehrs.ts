import type { Caller } from '../../access/caller.ts';
import { newId } from '../../ids.ts';
import type { PageRequest } from '../../paging.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { EhrsTable } from '../../platform/records/schema-ehrs.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { conflict, notFound, type Problem } from '../../problem.ts';
import { type Audit, actor } from '../audit/index.ts';
import { lockAccount } from '../groups/index.ts';
import { requireProject } from '../projects/index.ts';
import { credentialsOf, type EhrSettings, type Jwks, jwksOf, publicKeyColumns, sealed } from './ehr.ts';
import { nextTime, readCron } from './schedule.ts';
import { requireValid } from './validate.ts';

type Clearable = 'apiKey' | 'apiSecret' | 'schedule';

/** Fields that a request gives; absent ones keep their value, or get the default in a new configuration. `null` clears. */
export type EhrChange = { [K in Exclude<keyof EhrSettings, Clearable>]?: EhrSettings[K] } & {
  [K in Clearable]?: NonNullable<EhrSettings[K]> | null;
};

type By = { caller: Caller; requestId: string };

const defaults: Omit<EhrSettings, 'name' | 'apiBaseUrl'> = {
  ehrType: 'FHIR',
  apiAuthType: 'header',
  ingestionModel: 'ASYNCHRONOUS',
  delayBetweenRecords: 0,
};
/** More than an account needs; keeps what is looked through for due schedules small. */
const ehrsMax = 500;

/** EHR systems that accounts pull from. Keys and secrets are in the records only sealed. */
export class Ehrs {
  readonly #records: Records;
  readonly #secrets: Secrets;
  readonly #audit: Audit;
  readonly #outbound: Pick<Outbound, 'mistakeIn'>;
  /** What else happens when a configuration is deleted, in the same transaction; answers keys of blobs that are free then. */
  readonly deleted: ((tx: Transaction, id: string) => Promise<string[]>)[] = [];

  constructor(parts: {
    records: Records;
    secrets: Secrets;
    audit: Audit;
    outbound: Pick<Outbound, 'mistakeIn'>;
  }) {
    this.#records = parts.records;
    this.#secrets = parts.secrets;
    this.#audit = parts.audit;
    this.#outbound = parts.outbound;
  }

  /** The public keys of a configuration that signs with one, for anybody who knows its id. */
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

  /** Oldest first; one row more than the page. */
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
      await this.#tell(tx, 'ehrs.create', row, by, {});
    });
    return row;
  }

  /** Changes the given fields. Problem 409 when by now it would fill a project of which the caller was not asked whether he may. */
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
      await this.#tell(tx, 'ehrs.update', row, by, { fields: fields.sort().join(' ') });
      return row;
    });
  }

  /** Answers the keys of blobs that nothing holds any more. */
  async delete(ehr: EhrsTable, by: By): Promise<string[]> {
    return this.#records.transact(async (tx) => {
      const gone = await tx.deleteFrom('ehrs').where('id', '=', ehr.id).executeTakeFirst();
      if (gone.numDeletedRows === 0n) throw notFound();
      const freed: string[] = [];
      for (const listener of this.deleted) freed.push(...(await listener(tx, ehr.id)));
      await this.#tell(tx, 'ehrs.delete', ehr, by, {});
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
    };
  }

  async #tell(
    tx: Transaction,
    action: string,
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
  schedule: true,
};

/** The project that a changed configuration will fill by a schedule or from an address that the change gives. */
export function filledAfter(
  change: Pick<EhrChange, 'schedule' | 'apiBaseUrl'>,
  present: EhrsTable,
): string | undefined {
  if (change.schedule) return change.schedule.datasetId;
  if (change.schedule === null || change.apiBaseUrl === undefined) return undefined;
  return present.schedule_project_id ?? undefined;
}

function changed(): Problem {
  const message = 'Others are changing this configuration. Read it, and change it again if need be.';
  return conflict('EHR_CHANGED', message);
}

/** Reads a configuration and holds off, until the transaction ends, everybody else who wants to change it or to begin a sync. */
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
  // A private key never becomes a password, which is shown, and sent to the system.
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

/** The columns of a configuration that nothing is pulled from by itself. */
export const unscheduled = {
  schedule_cron: null,
  schedule_project_id: null,
  schedule_user_id: null,
  schedule_at: null,
};

async function requireRoom(tx: Transaction, account: string): Promise<void> {
  // Two that come at once are counted one after the other.
  await lockAccount(tx, account);
  const { count } = await tx
    .selectFrom('ehrs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  if (Number(count) >= ehrsMax)
    throw conflict(
      'TOO_MANY_EHRS',
      `An account may have ${ehrsMax} EHR configurations. Delete those that are not used.`,
    );
}
