import type { Caller } from '../../access/caller.ts';
import { listFilter } from '../../access/filter.ts';
import { newId } from '../../ids.ts';
import type { PageRequest } from '../../paging.ts';
import type { Engine } from '../../platform/engine/engine.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { prepared } from '../../platform/records/prepared.ts';
import type { Records } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { conflict, Problem } from '../../problem.ts';
import { type Audit, actor } from '../audit/index.ts';
import { type ProjectRecord, requireProject } from '../projects/index.ts';
import type { Lake } from './lake.ts';
import { attributesOfQuery, attributesOfTables } from './query-record.ts';
import { type Sight, sightOf } from './sight.ts';

export interface NewQuery {
  query: string;
  outputFileName: string;
}

type By = { caller: Caller; requestId: string };

export interface QueryParts {
  records: Records;
  engine: Engine;
  jobs: Jobs;
  audit: Audit;
  lake: Lake;
  /** Counts the cohorts of a project again where its data have changed: their members are a table here. */
  freshenCohorts: (project: string, signal: AbortSignal) => Promise<void>;
}

export interface QueryLimits {
  /** Queries of one project that run at once. */
  queriesPerProject: number;
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
  async start(project: ProjectRecord, input: NewQuery, by: By, signal: AbortSignal): Promise<string> {
    const { records, jobs, audit } = this.#parts;
    const about = attributesOfTables({ account_id: project.account, project_id: project.id });
    const sight = sightOf(by.caller, about, this.#limits.countsMin);
    const { statement, version } = await this.#check(project.id, input.query, sight, signal);
    const id = newId();
    await records.transact(async (tx) => {
      await requireProject(tx, project.id);
      const job_id = await jobs.add(tx, {
        kind: queryJob,
        payload: { queryId: id },
        attemptsMax,
        queueKey: `lake:${project.id}`,
        queueMax: this.#limits.queriesPerProject,
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
        lake_version: version,
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
    return id;
  }

  /** The statement that passed the guard, and the version of the lake that it shall read. */
  async #check(project: string, text: string, sight: Sight, signal: AbortSignal) {
    const { engine, lake, freshenCohorts } = this.#parts;
    const { tableNames, version } = await lake.snapshot(project, sight);
    const statement = await engine.check(text, tableNames, sight.countsMin);
    if (!statement.tables.includes('cohort')) return { statement, version };
    await freshenCohorts(project, signal);
    return { statement, version: (await lake.snapshot(project, sight)).version };
  }

  async find(id: string): Promise<QueriesTable | undefined> {
    return (await this.#byId(id))[0];
  }

  /** The history of a project, newest first, of those that the caller may read; one row more than the page. */
  async list(caller: Caller, project: ProjectRecord, page: PageRequest): Promise<QueriesTable[]> {
    const about = attributesOfTables({ account_id: project.account, project_id: project.id });
    let query = this.#parts.records.read
      .selectFrom('queries')
      .selectAll()
      .where('project_id', '=', project.id)
      .where((where) => {
        const readable = listFilter(where, caller, project.account, ['readData', 'readMaskedData'], {
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
    return query.execute();
  }

  /** Moves the state first, then stops the run: a late finisher always loses. Problem 409 when it has ended. */
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
      await jobs.cancel(tx, row.job_id);
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
