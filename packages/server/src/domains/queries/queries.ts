import type {
  BoundStatement,
  CheckedStatement,
  Engine,
  EngineCaller,
  TableShape,
  TimestampForm,
} from '@ploidy/engine';
import type { Caller } from '../../access/caller.ts';
import type { PageRequest } from '../../api/paging.ts';
import { newId } from '../../base/ids.ts';
import { conflict, Problem } from '../../base/problem.ts';
import type { Jobs, Waiting } from '../../platform/jobs/jobs.ts';
import { prepared } from '../../platform/records/prepared.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { type Audit, actor } from '../audit/index.ts';
import { requireResultRoom } from '../files/index.ts';
import { type ProjectRecord, requireProject } from '../files/projects/index.ts';
import {
  attributesOfTables,
  countsMinOf,
  type Lake,
  masksRows,
  type RowAccess,
  type RowRights,
  type Snapshot,
  shapesOf,
} from '../lake/index.ts';
import { type HistoryFilter, type HistoryPlace, listQueries } from './list-queries.ts';
import { attributesOfQuery } from './query-record.ts';
import type { FileFormat } from './result-format.ts';

export interface NewQuery {
  query: string;
  outputFileName: string;
  /** CSV by default. */
  format?: FileFormat;
  /** `utc` by default. */
  timestamps?: TimestampForm;
}

/** Preview of a query. What only a run can find out is absent. */
export interface QueryPreview extends Partial<BoundStatement> {
  tables: string[];
  /** True if values may be masked. */
  masked: boolean;
}

type Bound = (Pick<BoundStatement, 'columns'> & Partial<BoundStatement>) | undefined;

/** Statement that passed the guard, with the version of the lake it reads. */
export interface CheckedQuery {
  snapshot: Snapshot;
  statement: CheckedStatement;
  /** Shapes of the tables it reads; absent with small counts, where the statement names an internal column. */
  shapes: TableShape[] | undefined;
  access: RowAccess;
}

type By = { caller: Caller; requestId: string; signal?: AbortSignal };

const engineCallerOf = ({ caller, signal }: Omit<By, 'requestId'>): EngineCaller => ({
  name: caller.userId,
  signal,
});

interface QueryDeps {
  records: Records;
  engine: Engine;
  jobs: Jobs;
  audit: Audit;
  lake: Lake;
  rights: RowRights;
}

/** Limits of answers and results. */
interface QueryLimits {
  /** Size of all results that a user keeps in an account. */
  resultBytesMax: number;
}

/** Kind of the job that runs a query. */
export const queryJob = 'lake.run';
/** An interrupted query is run again once. */
const attemptsMax = 2;

/** Checks and records queries; query-job.ts runs them. */
export class Queries {
  readonly #deps: QueryDeps;
  readonly #limits: QueryLimits;
  readonly #byId: (id: string) => Promise<QueriesTable[]>;

  constructor(deps: QueryDeps, limits: QueryLimits) {
    this.#deps = deps;
    this.#byId = prepared(deps.records.read, (read, id: string) =>
      read.selectFrom('queries').selectAll().where('id', '=', id),
    );
    this.#limits = limits;
  }

  /** Checks a statement and records it as `running`, with its job, in one transaction. */
  async start(project: ProjectRecord, input: NewQuery, by: By): Promise<string> {
    const [id = ''] = await this.startAll(project, [input], by);
    return id;
  }

  /** Starts queries over one version of the lake, in one transaction that `record` is part of. */
  async startAll(
    project: ProjectRecord,
    inputs: NewQuery[],
    by: By,
    record?: (tx: Transaction, ids: string[]) => Promise<void>,
  ): Promise<string[]> {
    const { records, engine } = this.#deps;
    const whose = { account: project.account, userId: by.caller.userId };
    await requireResultRoom(records.read, whose, this.#limits.resultBytesMax);
    const pinned = await this.#pin(project, by.caller);
    const started: [id: string, input: NewQuery, checked: CheckedQuery][] = [];
    for (const input of inputs) {
      const checked = await this.#checked(pinned, input.query, by);
      const { statement, shapes } = checked;
      if (shapes) await engine.prove(input.query, statement.sql, shapes, engineCallerOf(by));
      started.push([newId(), input, checked]);
    }
    const ids = started.map(([id]) => id);
    await records.transact(async (tx) => {
      await requireProject(tx, project.id);
      for (const [id, input, checked] of started) await this.#record(tx, id, project, input, checked, by);
      await record?.(tx, ids);
    });
    return ids;
  }

  async #record(
    tx: Transaction,
    id: string,
    project: ProjectRecord,
    input: NewQuery,
    { snapshot, statement, access }: CheckedQuery,
    by: By,
  ): Promise<void> {
    const { jobs, audit, rights } = this.#deps;
    const job_id = await jobs.add(tx, {
      kind: queryJob,
      payload: { queryId: id, format: input.format ?? 'csv', timestamps: input.timestamps ?? 'utc' },
      attemptsMax,
      class: 'query',
      whose: { account: project.account, project: project.id, user: by.caller.userId },
    });
    const row: QueriesTable = {
      id,
      account_id: project.account,
      project_id: project.id,
      user_id: by.caller.userId,
      query_text: input.query,
      statement: statement.sql,
      tables: JSON.stringify(statement.tables),
      conditions: statement.conditions ? JSON.stringify(statement.conditions) : null,
      state: 'running',
      requested_name: input.outputFileName,
      output_file_name: input.outputFileName,
      masked: access.real === false ? 1 : 0,
      made_with: rights.madeWith(access, statement.tables, snapshot.tables),
      lake_version: snapshot.version,
      progress: 0,
      row_count: null,
      result_file_id: null,
      error: null,
      job_id,
      started_at: Date.now(),
      ended_at: null,
    };
    await tx.insertInto('queries').values(row).execute();
    await audit.append(tx, {
      account: project.account,
      ...actor(by.caller, by.requestId),
      action: 'lake.query',
      resource: attributesOfQuery(row),
      outcome: 'done',
      details: { tables: statement.tables.join(','), masked: row.masked === 1 },
    });
  }

  /** Previews a statement after the same checks. Nothing is recorded or run. */
  async preview(project: ProjectRecord, query: string, by: Omit<By, 'requestId'>): Promise<QueryPreview> {
    const { statement, shapes, access } = await this.check(project, query, by);
    const bound = shapes && (await this.#deps.engine.bind(query, statement.sql, shapes, engineCallerOf(by)));
    return { tables: statement.tables, masked: masksRows(access), ...visibleBound(bound, access) };
  }

  /** Checks a statement with the guard and resolves the tables it may read. `onlyReal`: without rows that are masked. */
  async check(
    project: ProjectRecord,
    query: string,
    by: Omit<By, 'requestId'>,
    onlyReal = false,
  ): Promise<CheckedQuery> {
    return this.#checked(await this.#pin(project, by.caller, onlyReal), query, by);
  }

  async #pin(
    project: ProjectRecord,
    caller: Caller,
    onlyReal = false,
  ): Promise<Pick<CheckedQuery, 'snapshot' | 'access'>> {
    const about = attributesOfTables({ account_id: project.account, project_id: project.id });
    const all = this.#deps.rights.accessOf(caller, about);
    const access = onlyReal ? { ...all, masked: false } : all;
    return { access, snapshot: await this.#deps.lake.snapshot(project.id, access) };
  }

  async #checked(
    { snapshot, access }: Pick<CheckedQuery, 'snapshot' | 'access'>,
    query: string,
    by: Omit<By, 'requestId'>,
  ): Promise<CheckedQuery> {
    const names = [...snapshot.tables.keys()];
    const statement = await this.#deps.engine.check(query, names, countsMinOf(access), engineCallerOf(by));
    const shapes = access.countsMin > 0 ? undefined : shapesOf(statement.tables, snapshot);
    return { snapshot, statement, shapes, access };
  }

  async find(id: string): Promise<QueriesTable | undefined> {
    return (await this.#byId(id))[0];
  }

  /** Returns the waits of the jobs, by id, that have no place yet, or lost it to others. */
  waiting(rows: readonly QueriesTable[]): Promise<ReadonlyMap<string, Waiting>> {
    const running = rows.filter(({ state }) => state === 'running');
    return this.#deps.jobs.waiting(running.map(({ job_id }) => job_id));
  }

  /** Lists queries that the caller may read, newest first, one row more than the page. */
  list(
    caller: Caller,
    place: HistoryPlace,
    page: PageRequest,
    filter: HistoryFilter = {},
  ): Promise<QueriesTable[]> {
    return listQueries(this.#deps.records.read, caller, place, page, filter);
  }

  /**
   * Stops the run and changes the state at once: a late finisher always loses. Problem 409 if it ended. Locks
   * the job first, as its run does.
   */
  async cancel(query: QueriesTable, by: By): Promise<QueriesTable> {
    const about = attributesOfQuery(query);
    if (query.user_id !== by.caller.userId && !by.caller.allows('projectAdmin', about)) {
      throw new Problem(403, 'FORBIDDEN', 'Only projectAdmin may cancel the query of another user.');
    }
    const { records, jobs, audit } = this.#deps;
    return records.transact(async (tx) => {
      await jobs.cancel(tx, query.job_id);
      const row = await tx
        .updateTable('queries')
        .set({ state: 'cancelled', ended_at: Date.now() })
        .where('id', '=', query.id)
        .where('state', '=', 'running')
        .returningAll()
        .executeTakeFirst();
      if (!row) {
        const now = await tx
          .selectFrom('queries')
          .select('state')
          .where('id', '=', query.id)
          .executeTakeFirst();
        throw conflict('QUERY_ENDED', `The query has already ended: it is ${now?.state ?? 'gone'}.`);
      }
      await audit.append(tx, {
        account: row.account_id,
        ...actor(by.caller, by.requestId),
        action: 'lake.cancel',
        resource: about,
        outcome: 'done',
      });
      return row;
    });
  }
}

/** Hides estimates and steps, which reveal the sizes of tables, from a caller who sees only some rows. */
function visibleBound(bound: BoundStatement | undefined, access: RowAccess): Bound {
  if (!bound || access.real === true || access.masked === true) return bound;
  return { columns: bound.columns };
}
