import type { ResultFormat } from '@ploidy/engine';
import type { Caller } from '../../../access/caller.ts';
import { Problem } from '../../../base/problem.ts';
import { nextTime, readCron } from '../../../base/schedule.ts';
import { eachAlone } from '../../../platform/concurrency/each-alone.ts';
import { readSharedNow } from '../../../platform/records/clock.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import type { SavedQueriesTable } from '../../../platform/records/schema-lake.ts';
import { type Audit, actor } from '../../audit/index.ts';
import type { Projects } from '../../files/projects/index.ts';
import type { Callers } from '../../identity/callers/index.ts';
import { attributesOfTables } from '../../lake/index.ts';
import type { Queries } from '../queries.ts';
import { attributesOfSaved } from './saved-query.ts';

/** Plan of a saved query: five cron fields in UTC, and the form of the results. */
interface ScheduleInput {
  cron: string;
  format: ResultFormat;
}

interface ScheduleDeps {
  records: Records;
  audit: Audit;
  log: PlatformLog;
  callers: Callers;
  projects: Projects;
  queries: Queries;
}

/** Fields of a saved query without a schedule. */
export const unscheduled = {
  schedule_cron: null,
  schedule_at: null,
  schedule_format: null,
  schedule_query_id: null,
  schedule_error: null,
} as const;

/** Another process has begun the run. */
class Taken extends Error {}

/**
 * Schedules of saved queries. Each run is a query of the owner, with the rights of the owner at that time; its result is a file of the
 * project. Schedules are rows, so that they survive a restart.
 */
export class Schedules {
  readonly #deps: ScheduleDeps;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
  }

  /** Plans a saved query; without a plan, ends that of before. */
  async set(
    saved: SavedQueriesTable,
    input: ScheduleInput | undefined,
    by: { caller: Caller; requestId: string },
  ): Promise<SavedQueriesTable> {
    const { records, audit } = this.#deps;
    return records.transact(async (tx) => {
      const planned = input && {
        ...unscheduled,
        ...{ schedule_cron: input.cron, schedule_at: following(input.cron, await this.#now(tx)) },
        ...{ schedule_format: input.format },
      };
      const row = await tx
        .updateTable('saved_queries')
        .set(planned ?? unscheduled)
        .where('id', '=', saved.id)
        .returningAll()
        .executeTakeFirst();
      await audit.append(tx, {
        account: saved.account_id,
        ...actor(by.caller, by.requestId),
        action: 'savedQueries.schedule',
        resource: attributesOfSaved(saved),
        outcome: 'done',
        details: { cron: input?.cron ?? null },
      });
      return row ?? saved;
    });
  }

  /** Begins the runs that are due; call it often. Each is begun once, however many processes call it and times were missed. */
  async begin(): Promise<void> {
    const now = await this.#now();
    const due = await this.#deps.records.read
      .selectFrom('saved_queries')
      .selectAll()
      .where('schedule_at', '<=', now)
      .orderBy('schedule_at')
      .limit(100)
      .execute();
    await eachAlone(due, (row) => this.#beginOne(row, now), {
      log: this.#deps.log,
      failed: 'a scheduled query was not begun; it is tried again',
      about: ({ id }) => ({ savedQueryId: id }),
    });
  }

  /** Reads the clock that all processes share: one that is ahead would begin runs early, and plan the next too late. */
  #now(on: Reader | Transaction = this.#deps.records.read): Promise<number> {
    return readSharedNow(this.#deps.records.dialect, on);
  }

  async #beginOne(row: SavedQueriesTable, now: number): Promise<void> {
    const { records, queries } = this.#deps;
    const found = await this.#ownerOf(row);
    if (!found) return this.#end(row);
    const { caller, project } = found;
    const format = (row.schedule_format ?? 'csv') as ResultFormat;
    const input = { query: row.statement, outputFileName: nameOf(row, format, now), format };
    try {
      await queries.startAll(project, [input], { caller, requestId: `schedule-${row.id}` }, (tx, [id]) =>
        this.#advance(tx, row, { schedule_query_id: id ?? null, schedule_error: null }),
      );
    } catch (error) {
      if (error instanceof Taken) return;
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const { code } = error;
      await records.transact((tx) => this.#advance(tx, row, { schedule_error: code })).catch(unlessTaken);
    }
  }

  /** Returns the owner with the present rights, and the project; nothing once the owner may no longer run statements in it. */
  async #ownerOf({ account_id, project_id, owner_id }: SavedQueriesTable) {
    const principal = { userId: owner_id, via: 'job', keyAccount: undefined, onlyAccount: account_id };
    const caller = await this.#deps.callers.resolve(principal);
    const project = await this.#deps.projects.find(project_id);
    const mayRun = caller?.may('lake.query', attributesOfTables({ account_id, project_id }));
    return caller && project && mayRun ? { caller, project } : undefined;
  }

  async #advance(
    tx: Transaction,
    { id, schedule_at, schedule_cron }: SavedQueriesTable,
    fields: { schedule_query_id?: string | null; schedule_error: string | null },
  ): Promise<void> {
    const { numUpdatedRows } = await tx
      .updateTable('saved_queries')
      .set({ ...fields, schedule_at: following(schedule_cron ?? '', await this.#now(tx)) })
      .where('id', '=', id)
      .where('schedule_at', '=', schedule_at)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Taken();
  }

  /** Ends a schedule whose owner lost the right. */
  async #end(row: SavedQueriesTable): Promise<void> {
    const { records, audit } = this.#deps;
    await records.transact(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('saved_queries')
        .set({ ...unscheduled, schedule_error: 'FORBIDDEN' })
        .where('id', '=', row.id)
        .where('schedule_at', '=', row.schedule_at)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      await audit.append(tx, {
        ...{ account: row.account_id, userId: row.owner_id, via: 'job' },
        action: 'savedQueries.schedule',
        resource: attributesOfSaved(row),
        outcome: 'refused',
        details: { cron: null },
      });
    });
  }
}

const unlessTaken = (error: unknown): void => {
  if (!(error instanceof Taken)) throw error;
};

function following(cron: string, now: number): number | null {
  const times = readCron(cron);
  return typeof times === 'string' ? null : (nextTime(times, now) ?? null);
}

/** Names the result after the id of the query: the name may be too long, or hold what no file may. */
function nameOf({ id }: SavedQueriesTable, format: ResultFormat, now: number): string {
  return `scheduled/${id}/${new Date(now).toISOString().slice(0, 16).replace(':', '')}Z.${format === 'arrow' ? 'arrows' : format}`;
}
