import type { Caller } from '../../access/caller.ts';
import { listFilter } from '../../access/filter.ts';
import { newId } from '../../ids.ts';
import { prefixEnd } from '../../names.ts';
import type { PageRequest } from '../../paging.ts';
import type { BoundStatement, CheckedStatement, Engine, TableShape } from '../../platform/engine/engine.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { prepared } from '../../platform/records/prepared.ts';
import type { Records } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { conflict, Problem } from '../../problem.ts';
import { type Audit, actor } from '../audit/index.ts';
import { type ProjectRecord, requireProject } from '../projects/index.ts';
import type { EarlyRuns } from './early-runs.ts';
import { type Lake, type Snapshot, shapesOf } from './lake.ts';
import { attributesOfQuery, attributesOfTables } from './query-record.ts';
import { masksRows, type Sight, sightOf } from './sight.ts';

export interface NewQuery {
  query: string;
  outputFileName: string;
}

/** What a query would read and give. `columns` and `estimatedRows` are absent where only a run can tell. */
export interface QueryPreview extends Partial<BoundStatement> {
  tables: string[];
  /** Whether some values may be masked. */
  masked: boolean;
}

type Bound = (Omit<BoundStatement, 'estimatedRows'> & Partial<BoundStatement>) | undefined;

interface CheckedQuery {
  snapshot: Snapshot;
  statement: CheckedStatement;
  /** Of the tables that it reads; absent where small counts are left out: it names a column then that only its own tables have. */
  shapes: TableShape[] | undefined;
  sight: Sight;
}

/** Which part of the history is asked for. */
export interface HistoryFilter {
  state?: QueriesTable['state'];
  userId?: string;
  /** What the name of the output file begins with. */
  outputFileName?: string;
  /** Epoch milliseconds, inclusive. */
  startedFrom?: number;
  /** Exclusive. */
  startedBefore?: number;
}

type By = { caller: Caller; requestId: string };

export interface QueryParts {
  records: Records;
  engine: Engine;
  jobs: Jobs;
  audit: Audit;
  lake: Lake;
  earlyRuns: EarlyRuns;
}

/** Queries that run at once, over all processes; the others wait, and take turns. */
export interface QueryLimits {
  queriesPerProject: number;
  queriesPerUser: number;
  /** Smallest number of patients that masked answers tell of; 0: any. */
  countsMin: number;
}

/** The kind of the job that runs a query. */
export const queryJob = 'lake.run';
/** A query that a crash interrupted is run again once. */
const attemptsMax = 2;

/** Queries: checked and recorded here, run by run-query.ts. */
export class Queries {
  readonly #parts: QueryParts;
  readonly #limits: QueryLimits;
  readonly #byId: (id: string) => Promise<QueriesTable[]>;

  constructor(parts: QueryParts, limits: QueryLimits) {
    this.#parts = parts;
    this.#byId = prepared(parts.records.read, (read, id: string) =>
      read.selectFrom('queries').selectAll().where('id', '=', id),
    );
    this.#limits = limits;
  }

  /** Checks a statement and records it `running`; the job that runs it is in the same transaction. */
  async start(project: ProjectRecord, input: NewQuery, by: By): Promise<string> {
    const { engine, earlyRuns } = this.#parts;
    const checked = await this.#check(project, input.query, by.caller);
    const { snapshot, statement, shapes, sight } = checked;
    const id = newId();
    try {
      if (shapes) {
        const pinned = { id: project.id, version: snapshot.version, sight };
        earlyRuns.prepare(id, { pinned, statement: { sql: statement.sql, tables: statement.tables } });
        await engine.prove(input.query, statement.sql, shapes);
      }
      await this.#record(id, project, input, checked, by);
    } catch (error) {
      earlyRuns.drop(id);
      throw error;
    }
    return id;
  }

  async #record(
    id: string,
    project: ProjectRecord,
    input: NewQuery,
    { snapshot, statement, sight }: CheckedQuery,
    by: By,
  ): Promise<void> {
    const { records, jobs, audit } = this.#parts;
    await records.transact(async (tx) => {
      await requireProject(tx, project.id);
      const job_id = await jobs.add(tx, {
        kind: queryJob,
        payload: { queryId: id },
        attemptsMax,
        queueKey: `lake:${project.id}`,
        queueMax: this.#limits.queriesPerProject,
        shareKey: `lake-user:${by.caller.userId}`,
        shareMax: this.#limits.queriesPerUser,
      });
      const row: QueriesTable = {
        id,
        account_id: project.account,
        project_id: project.id,
        user_id: by.caller.userId,
        query_text: input.query,
        statement: statement.sql,
        tables: JSON.stringify(statement.tables),
        state: 'running',
        requested_name: input.outputFileName,
        output_file_name: input.outputFileName,
        masked: sight.real === false ? 1 : 0,
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
    });
  }

  /** What a statement would give, after the same checks. Nothing is recorded, and nothing runs. */
  async preview(project: ProjectRecord, query: string, caller: Caller): Promise<QueryPreview> {
    const { statement, shapes, sight } = await this.#check(project, query, caller);
    const bound = shapes && (await this.#parts.engine.bind(query, statement.sql, shapes));
    return { tables: statement.tables, masked: masksRows(sight), ...boundAsSeen(bound, sight) };
  }

  /** The statement that passed the guard, and what it shall read. */
  async #check(project: ProjectRecord, query: string, caller: Caller): Promise<CheckedQuery> {
    const { engine, lake } = this.#parts;
    const about = attributesOfTables({ account_id: project.account, project_id: project.id });
    const sight = sightOf(caller, about, this.#limits.countsMin);
    const snapshot = await lake.snapshot(project.id, sight);
    const statement = await engine.check(query, snapshot.tableNames, sight.countsMin);
    const shapes = sight.countsMin > 0 ? undefined : shapesOf(statement.tables, snapshot);
    return { snapshot, statement, shapes, sight };
  }

  async find(id: string): Promise<QueriesTable | undefined> {
    return (await this.#byId(id))[0];
  }

  /** The history of a project, newest first, of those that the caller may read; one row more than the page. */
  async list(
    caller: Caller,
    project: ProjectRecord,
    page: PageRequest,
    filter: HistoryFilter = {},
  ): Promise<QueriesTable[]> {
    const about = attributesOfTables({ account_id: project.account, project_id: project.id });
    const { state, userId, outputFileName, startedFrom, startedBefore } = filter;
    let query = this.#parts.records.read
      .selectFrom('queries')
      .selectAll()
      .where('project_id', '=', project.id)
      .where((where) => {
        const readable = listFilter(caller, project.account, ['readData', 'readMaskedData'], {
          columns: { 'resource.id': where.ref('id'), 'resource.ownerId': where.ref('user_id') },
          constants: {
            'resource.account': project.account,
            'resource.dataset': project.id,
            'resource.type': 'query',
          },
        });
        // Whoever may read rows follows what he asked of them.
        return caller.rows('lake.readOwnQuery', about) === false
          ? readable
          : where.or([readable, where('user_id', '=', caller.userId)]);
      })
      .orderBy('id', 'desc')
      .limit(page.size + 1);
    if (page.after) query = query.where('id', '<', String(page.after[0]));
    if (state !== undefined) query = query.where('state', '=', state);
    if (userId !== undefined) query = query.where('user_id', '=', userId);
    if (startedFrom !== undefined) query = query.where('started_at', '>=', startedFrom);
    if (startedBefore !== undefined) query = query.where('started_at', '<', startedBefore);
    if (outputFileName !== undefined) {
      query = query
        .where('output_file_name', '>=', outputFileName)
        .where('output_file_name', '<', prefixEnd(outputFileName));
      // Of the others he is not told the name (`viewOfQuery`).
      if (!caller.may('lake.read', about))
        query = query.where((where) =>
          where.or([where('masked', '=', 1), where('user_id', '=', caller.userId)]),
        );
    }
    return query.execute();
  }

  /**
   * Stops the run and moves the state in one step: a late finisher always loses. Problem 409 when it has ended. The job is locked first, as its run
   * does.
   */
  async cancel(query: QueriesTable, by: By): Promise<QueriesTable> {
    const about = attributesOfQuery(query);
    if (query.user_id !== by.caller.userId && !by.caller.allows('projectAdmin', about)) {
      throw new Problem(
        403,
        'FORBIDDEN',
        'This is the query of somebody else; cancelling it needs projectAdmin.',
      );
    }
    const { records, jobs, audit } = this.#parts;
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

/** Estimates come from the sizes of the tables: who sees some rows only is not told how many there are. */
function boundAsSeen(bound: BoundStatement | undefined, sight: Sight): Bound {
  if (!bound || sight.real === true || sight.masked === true) return bound;
  const { estimatedRows: _rows, ...told } = bound;
  return told;
}
