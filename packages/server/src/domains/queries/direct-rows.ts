import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Engine, QueryOutcome, QueryTable, TimestampForm } from '@ploidy/engine';
import type { Caller } from '../../access/caller.ts';
import type { Pages } from '../../api/paging.ts';
import { conflict } from '../../base/problem.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Places } from '../../platform/jobs/places.ts';
import type { Records } from '../../platform/records/records.ts';
import { type Audit, actor } from '../audit/index.ts';
import type { ProjectRecord } from '../files/projects/index.ts';
import { attributesOfTables, type Lake, masksRows, type RowRights } from '../lake/index.ts';
import type { CheckedQuery, Queries } from './queries.ts';
import { problemOfRows, type RowsFile, rowsBody } from './row-lines.ts';

/** Limits of an answer that a caller waits for; what needs more is a query with a file. */
const runTimeMaxMs = 30_000;
const pageMaxBytes = 16 * 1024 * 1024;
export const pageRowsMax = 10_000;
const pageRowsDefault = 1000;

interface RowsRequest {
  query: string;
  pageSize?: number;
  timestamps?: TimestampForm;
  nextPageToken?: string;
}

interface DirectRowsDeps {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  lake: Lake;
  audit: Audit;
  queries: Queries;
  /** Places that queries share. */
  queryPlaces: Places;
  pages: Pages;
  rights: RowRights;
  /** Recomputes cohorts of a project whose data changed: their members are a table. */
  recountCohorts: (project: string, signal: AbortSignal) => Promise<void>;
}

type By = { caller: Caller; requestId: string; signal: AbortSignal };

/**
 * Answers statements with their rows, page by page, and keeps nothing. Each page runs the statement again, over the version of
 * the lake of the first one, with current rights.
 */
export class DirectRows {
  readonly #deps: DirectRowsDeps;

  constructor(deps: DirectRowsDeps) {
    this.#deps = deps;
  }

  /** Returns a page as the bytes of a JSON object: `columns`, `masked`, `rows`, and `nextPageToken` before the last page. */
  async page(project: ProjectRecord, request: RowsRequest, by: By): Promise<Readable> {
    const { pages, rights } = this.#deps;
    const scope = JSON.stringify(['rows', by.caller.userId, project.id, request.query]);
    const position = pages.position(request.nextPageToken, scope, 'body/nextPageToken');
    const [version, offset, made] = (position ?? [undefined, 0]) as [number | undefined, number, string?];
    const rowsMax = request.pageSize ?? pageRowsDefault;
    const checked = await this.#check(project, request.query, by);
    const seen = rights.digestOf(checked.access, checked.statement.tables, checked.snapshot.tables);
    if (version !== undefined && made !== seen)
      throw conflict(
        'LAKE_CHANGED',
        'Your rights to rows changed since the first page. Start again without a token.',
      );
    if (version !== undefined && version !== checked.snapshot.version)
      throw conflict('LAKE_CHANGED', 'The data changed since the first page. Start again without a token.');
    const masked = masksRows(checked.access);
    const record = (details: Record<string, string | number>) =>
      this.#record(project, by, { tables: checked.statement.tables.join(','), masked, ...details });
    try {
      const { outcome, path } = await this.#run(
        project,
        checked,
        { offset, rowsMax },
        by,
        request.timestamps,
      );
      const next = [checked.snapshot.version, offset + rowsMax, seen];
      const more = outcome.rowCount === rowsMax && { nextPageToken: pages.token(next, scope) };
      const head = { columns: outcome.columns ?? [], masked, ...more };
      await record({ rows: outcome.rowCount, bytes: outcome.size }).catch(async (error: unknown) => {
        await this.#deps.blobs.discardScratch(path);
        throw error;
      });
      return rowsBody(this.#deps.blobs, head, { outcome, path });
    } catch (error) {
      const problem = problemOfRows(error, by.signal);
      // The message of a failure may hold a value.
      if (problem) await record({ failed: problem.code });
      throw problem ?? error;
    }
  }

  /**
   * Returns the rows of a statement of the service's own over what the caller sees, `rowsMax` at most. `onlyReal`: without rows that are
   * masked.
   */
  async all(
    project: ProjectRecord,
    query: string,
    rowsMax: number,
    by: By,
    onlyReal = false,
  ): Promise<unknown[][]> {
    const checked = await this.#check(project, query, by, onlyReal);
    const ran = await this.#run(project, checked, { offset: 0, rowsMax }, by).catch((error: unknown) => {
      throw problemOfRows(error, by.signal) ?? error;
    });
    try {
      const { rowCount: rows, size: bytes } = ran.outcome;
      const tables = checked.statement.tables.join(',');
      await this.#record(project, by, { tables, masked: masksRows(checked.access), rows, bytes });
      const text = await readFile(ran.path, 'utf8');
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    } finally {
      await this.#deps.blobs.discardScratch(ran.path);
    }
  }

  async #record(
    project: ProjectRecord,
    { caller, requestId }: By,
    details: Record<string, string | number | boolean>,
  ): Promise<void> {
    const { audit, records } = this.#deps;
    await records.transact((tx) =>
      audit.append(tx, {
        account: project.account,
        ...actor(caller, requestId),
        action: 'lake.rows',
        resource: attributesOfTables({ account_id: project.account, project_id: project.id }),
        outcome: 'done',
        details,
      }),
    );
  }

  async #check(project: ProjectRecord, query: string, by: By, onlyReal = false): Promise<CheckedQuery> {
    const { queries, engine, recountCohorts } = this.#deps;
    const checked = await queries.check(project, query, by, onlyReal);
    const { statement, shapes } = checked;
    const caller = { name: by.caller.userId, signal: by.signal };
    if (shapes) await engine.prove(query, statement.sql, shapes, caller);
    if (!statement.tables.includes('cohort')) return checked;
    await recountCohorts(project.id, by.signal);
    return queries.check(project, query, by, onlyReal);
  }

  /** Runs a statement in a place of the queries, into a file that the caller removes. */
  #run(
    project: ProjectRecord,
    { snapshot, statement, access }: CheckedQuery,
    page: { offset: number; rowsMax: number },
    { caller, signal }: By,
    timestamps: TimestampForm = 'utc',
  ): Promise<RowsFile> {
    const { engine, lake, blobs, queryPlaces } = this.#deps;
    const limits = { runTimeMaxMs, outputMaxBytes: pageMaxBytes, caller: caller.userId };
    const { conditions } = statement;
    const pinned = { id: project.id, version: snapshot.version, access, conditions };
    const whose = { account: project.account, project: project.id, user: caller.person };
    return queryPlaces.use(whose, signal, async (placed) => {
      // A run that yields removes its file a moment later, so each has its own.
      const path = await blobs.scratchPath('rows');
      const work = (tables: QueryTable[]): Promise<QueryOutcome> =>
        engine.query(
          { statement, tables, outputPath: path, format: 'rows', timestamps, page, ...limits },
          placed,
        );
      try {
        return { path, outcome: await lake.withRelations(pinned, statement.tables, work, placed) };
      } catch (error) {
        await blobs.discardScratch(path);
        throw error;
      }
    });
  }
}
