import { type Engine, EngineError, type QueryTable } from '@ploidy/engine';
import type { Table } from '@ploidy/formats/tables';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../access/caller.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { Places } from '../../../platform/jobs/places.ts';
import type { Records } from '../../../platform/records/records.ts';
import { lostWorker } from '../engine-problems.ts';
import { type IcebergFile, IcebergTables, type LoadedTable } from '../iceberg/iceberg-tables.ts';
import { schemaOf } from '../iceberg/schema.ts';
import type { Lake } from '../lake.ts';
import type { Queries } from '../queries/queries.ts';
import { findSchema, type Schema, schemasOf } from '../trino/schemas.ts';
import type { Objects } from './objects.ts';

export interface OpenCatalogueDeps {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  lake: Lake;
  queries: Queries;
  /** Places that queries share. */
  queryPlaces: Places;
  objects: Objects;
  countsMin: number;
  /** Recomputes cohorts of a project whose data changed: their members are a table. */
  recountCohorts: (project: string, signal: AbortSignal) => Promise<void>;
}

export interface CopyLimits {
  runTimeMaxMs: number;
  outputMaxBytes: number;
}

type By = { caller: Caller; requestId: string; signal: AbortSignal };

/** Copies of tables that are kept for further readers, and for how long: blobs that no row names last a day. */
const copiesMax = 1_000;
const copyLifeMs = 12 * 3_600_000;

/**
 * Tables of projects as Iceberg tables for readers outside. A table whose files hold its rows as they are is these
 * files. Any other, such as one with several versions of a resource, is copied when it is asked for.
 */
export class OpenCatalogue {
  readonly #deps: OpenCatalogueDeps;
  readonly #limits: CopyLimits;
  readonly #tables: IcebergTables;
  readonly #copies = new LRUCache<string, IcebergFile>({ max: copiesMax, ttl: copyLifeMs });

  constructor(deps: OpenCatalogueDeps, limits: CopyLimits) {
    this.#deps = deps;
    this.#limits = limits;
    this.#tables = new IcebergTables(deps.objects);
  }

  /** Lists the projects of which the caller sees all rows as they are. */
  async schemas(caller: Caller): Promise<Schema[]> {
    const schemas = await schemasOf(this.#deps, caller);
    return schemas.filter(({ access }) => access.real === true);
  }

  /** Finds a project by the name of its schema or its id; it may be one that the caller sees masked. */
  async find(name: string, caller: Caller): Promise<Schema | undefined> {
    return findSchema(await schemasOf(this.#deps, caller), name) ?? this.#closed(name, caller);
  }

  /** Finds a project of the caller's accounts of which no row may be read, by its id: it is refused, not hidden. */
  async #closed(id: string, caller: Caller): Promise<Schema | undefined> {
    const row = await this.#deps.records.read
      .selectFrom('projects')
      .select(['id', 'name', 'description', 'account_id'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row || !caller.isMember(row.account_id)) return undefined;
    const project = { id: row.id, name: row.name, description: row.description, account: row.account_id };
    return { name: row.name, project, access: { real: false, masked: false, countsMin: 0 } };
  }

  async tables({ project, access }: Schema): Promise<string[]> {
    const { tables } = await this.#deps.lake.snapshot(project.id, access);
    return [...tables.keys()];
  }

  /** Returns the metadata of a table at its present version. Problem 404 without such a table. */
  async load(schema: Schema, name: string, by: By): Promise<LoadedTable> {
    const { lake, recountCohorts } = this.#deps;
    const { id: project } = schema.project;
    if (name === 'cohort') await recountCohorts(project, by.signal);
    const { version, tables } = await lake.snapshot(project, schema.access);
    const table = tables.get(name);
    if (!table) throw notFound();
    const { files, isPlain } = await lake.tableState({ id: project, version }, name);
    const held: IcebergFile[] = isPlain ? files : [await this.#copy(schema, table, files, by)];
    return this.#tables.load({ project, version, table: name, schema: schemaOf(table.columns) }, held);
  }

  async #copy(schema: Schema, table: Table, behind: readonly IcebergFile[], by: By): Promise<IcebergFile> {
    const pinned = await this.#deps.lake.pin(schema.project.id, schema.access);
    const name = JSON.stringify([pinned.id, table.name, pinned.dataVersion, pinned.annotations]);
    const known = this.#copies.get(name);
    if (known) return known;
    const recordedAt = behind.reduce((newest, file) => Math.max(newest, file.recordedAt), 0);
    const made = { ...(await this.#write(schema, table, by)), fileRows: null, ordinal: 0, recordedAt };
    this.#copies.set(name, made);
    return made;
  }

  async #write(schema: Schema, table: Table, by: By): Promise<Pick<IcebergFile, 'blob' | 'rowCount'>> {
    const { queryPlaces } = this.#deps;
    const whose = { account: schema.project.account, project: schema.project.id, user: by.caller.userId };
    return queryPlaces.use(whose, by.signal, (signal) => this.#writeOnce(schema, table, { ...by, signal }));
  }

  async #writeOnce(schema: Schema, table: Table, by: By): Promise<Pick<IcebergFile, 'blob' | 'rowCount'>> {
    const { queries, engine, blobs, lake } = this.#deps;
    const { project } = schema;
    const { snapshot, statement, access } = await queries.check(project, `SELECT * FROM "${table.name}"`, by);
    const outputPath = await blobs.scratchPath('parquet');
    const limits = { ...this.#limits, asker: by.caller.userId };
    const work = (tables: QueryTable[]) =>
      engine.query({ statement, tables, outputPath, format: 'parquet', ...limits }, by.signal);
    try {
      const pinned = { id: project.id, version: snapshot.version, access };
      const outcome = await lake.withRelations(pinned, statement.tables, work, by.signal);
      return { blob: await blobs.adopt(outputPath, outcome), rowCount: outcome.rowCount };
    } catch (error) {
      await blobs.discardScratch(outputPath);
      throw by.signal.aborted || !(error instanceof EngineError)
        ? error
        : (lostWorker(error) ?? uncopied(error));
    }
  }
}

const uncopied = (error: EngineError): Problem =>
  new Problem(422, `QUERY_${error.code}`, `The table has to be copied for Iceberg. ${error.message}`, {
    cause: error,
  });
