import type { Caller } from '../../../access/caller.ts';
import type { Wait } from '../../../api/route.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import { IcebergTables, type Lake, type LoadedTable, schemaOf } from '../../lake/index.ts';
import { findSchema, type Schema, schemasOf } from '../trino-protocol/schemas.ts';
import { everyRow, isShownRows } from './audiences.ts';
import type { Objects } from './objects.ts';
import type { TableCopies } from './table-copies.ts';

interface OpenCatalogueDeps {
  records: Records;
  lake: Lake;
  objects: Objects;
  copies: TableCopies;
  countsMin: number;
  /** Recomputes cohorts of a project whose data changed: their members are a table. */
  recountCohorts: (project: string, signal: AbortSignal) => Promise<void>;
}

/** Looks at a lake that changes while its table is copied. */
const roundsMax = 10;

type By = { caller: Caller; requestId: string; signal: AbortSignal; wait: Wait };

/**
 * Tables of projects as Iceberg tables for readers outside. A table whose files hold its rows as they are is these
 * files, for readers of all rows. Any other is copied when it is asked for: one with several versions of a resource, and what
 * readers of some rows or masked ones see.
 */
export class OpenCatalogue {
  readonly #deps: OpenCatalogueDeps;
  readonly #tables: IcebergTables;

  constructor(deps: OpenCatalogueDeps) {
    this.#deps = deps;
    this.#tables = new IcebergTables(deps.objects);
  }

  /** Lists the projects of which the caller sees rows. */
  async schemas(caller: Caller): Promise<Schema[]> {
    const schemas = await schemasOf(this.#deps, caller);
    return schemas.filter(({ access }) => isShownRows(access));
  }

  /** Finds a project by the name of its schema or its id; it may be one of which no row may be read. */
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
  async load(schema: Schema, name: string, audience: string, by: By): Promise<LoadedTable> {
    const { lake, copies, recountCohorts } = this.#deps;
    const { project, access } = schema;
    if (name === 'cohort') await recountCohorts(project.id, by.signal);
    for (let round = 0; round < roundsMax; round += 1) {
      const { version, tables, rowCounts } = await lake.snapshot(project.id, access);
      const table = tables.get(name);
      if (!table) throw notFound();
      const { columns } = table;
      const { files, isPlain } = await lake.tableState({ id: project.id, version }, name);
      const of = { project: project.id, version, table: name, schema: schemaOf(columns), audience };
      if (isPlain && audience === everyRow) return this.#tables.load(of, files);
      const copy = await copies.current(
        { project, version, name, columns, files, audience, lakeTables: [...rowCounts.keys()] },
        by,
      );
      const recordedAt = files.reduce((newest, file) => Math.max(newest, file.recordedAt), 0);
      if (copy) return this.#tables.load(of, [{ ...copy, recordedAt }]);
    }
    const message = 'The table changes too often to be copied at present. Open it again.';
    throw new Problem(503, 'ENGINE_UNAVAILABLE', message, { retryAfterS: 5 });
  }
}
