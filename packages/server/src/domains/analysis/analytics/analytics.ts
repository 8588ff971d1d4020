import { createHash } from 'node:crypto';
import {
  type Engine,
  EngineError,
  literal,
  type QueryOutcome,
  type QueryTable,
  type RewriteOutcome,
} from '@ploidy/engine';
import { type Column, engineTypes, type Table, tables } from '@ploidy/formats/tables';
import { invalidInput, overloaded, Problem } from '../../../base/problem.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import {
  fullAccess,
  hasPatients,
  type Lake,
  type PinnedProject,
  temporaryProblem,
} from '../../lake/index.ts';
import type { Row } from './aggregate.ts';
import { answering } from './answers.ts';
import { Compiler } from './compile.ts';
import { alikeOwnTables } from './fields.ts';
import type { PatientTest, Query } from './query.ts';
import { Parameters } from './sql-text.ts';

/** Longest wait for an answer: queueing, copying files and running, which has a shorter limit of its own. */
const waitMaxMs = 60_000;

/** Position of a page, and the data versions and rights it belongs to; merged files hold the same data. */
interface Place {
  offset: number;
  versions: string[];
}

/** Runs DSL queries over the lake while the caller waits. */
export class Analytics {
  readonly #lake: Lake;
  readonly #engine: Engine;
  readonly #secrets: Secrets;

  constructor(deps: { lake: Lake; engine: Engine; secrets: Secrets }) {
    this.#lake = deps.lake;
    this.#engine = deps.engine;
    this.#secrets = deps.secrets;
  }

  /** Pins the present version of a project. */
  pin(id: string, how: 'real' | 'masked'): Promise<PinnedProject> {
    return this.#lake.pin(id, fullAccess(how));
  }

  /**
   * Answers a query over the projects. `scope` binds page tokens to caller and query. Problem 400 for a token of another query
   * or of changed data; 422 for an excessive query; 503 if the queue is full.
   */
  async answer(
    query: Query,
    projects: PinnedProject[],
    scope: string,
    { caller, signal }: { caller: string; signal: AbortSignal },
  ): Promise<Record<string, unknown>> {
    const purpose = `analytics:${createHash('sha256').update(scope).digest('base64url')}`;
    const { offset } = this.#placeOf(query, projects, purpose);
    const compiler = new Compiler(new Parameters());
    const asked = answering(query, compiler, offset);
    const rows = await this.ask(asked.sql, compiler, projects, { caller, signal });
    const { pageSize = rows.length } = asked;
    const data = asked.data(rows.slice(0, pageSize));
    if (rows.length <= pageSize) return data;
    const place: Place = { offset: offset + pageSize, versions: versionsOf(projects) };
    return { ...data, nextPageToken: this.#secrets.seal(JSON.stringify(place), purpose) };
  }

  /**
   * Writes the patients who pass the test as Parquet, with the id of their cohort. `members`: Parquet files
   * with further ids in `patient_id`. Only patients of the project count. `asksClock`: the test depends on
   * the clock.
   */
  async writeMembers(
    test: PatientTest | undefined,
    wanted: {
      project: PinnedProject;
      cohortId: string;
      members: string[];
      /** SELECTs (_project, patient_id) of further patients. */
      selects: readonly ((compiler: Compiler) => string)[];
      outputPath: string;
    },
    { caller, signal }: { caller: string; signal: AbortSignal },
  ): Promise<RewriteOutcome & { asksClock: boolean }> {
    const { project, cohortId, members, selects, outputPath } = wanted;
    const compiler = new Compiler(new Parameters());
    const sets = members.map(
      (path) => `SELECT 0 AS _project, patient_id FROM read_parquet(${literal(path)})`,
    );
    if (test) sets.push(`(${compiler.patients(test)})`);
    sets.push(...selects.map((select) => `(${select(compiler)})`));
    const chosen = sets.join(' UNION ALL ') || 'SELECT 0 AS _project, NULL AS patient_id WHERE false';
    const id = compiler.parameters.add(cohortId, 'VARCHAR');
    const body = `SELECT ${id} AS cohort_id, u.patient_id FROM universe AS u
      SEMI JOIN (${chosen}) AS m ON m._project = u._project AND m.patient_id = u.patient_id ORDER BY u.patient_id`;
    const written = await this.#open(compiler, [project], signal, (sql, waited) =>
      this.#engine.write(
        { sql: sql(body), parameters: compiler.parameters.values, outputPath, table: 'cohort' },
        waited,
        caller,
      ),
    );
    return { ...written, asksClock: compiler.asksClock };
  }

  /** Runs a statement over the relations that `compiler` noted, as the access of each project shows them. */
  ask(
    body: string,
    compiler: Compiler,
    projects: PinnedProject[],
    { caller, signal }: { caller: string; signal: AbortSignal },
  ): Promise<Row[]> {
    const { values: parameters } = compiler.parameters;
    return this.#open(compiler, projects, signal, (sql, waited) =>
      this.#engine.answer({ sql: sql(body), parameters }, waited, caller),
    );
  }

  /** Writes the rows of a statement, as `ask` runs it, to a Parquet file. */
  write(
    body: string,
    compiler: Compiler,
    project: PinnedProject,
    { caller, signal, outputPath }: { caller: string; signal: AbortSignal; outputPath: string },
  ): Promise<QueryOutcome> {
    const { values: parameters } = compiler.parameters;
    return this.#open(compiler, [project], signal, (sql, waited) =>
      this.#engine.write({ sql: sql(body), parameters, outputPath }, waited, caller),
    );
  }

  async #open<T>(
    compiler: Compiler,
    all: PinnedProject[],
    signal: AbortSignal,
    run: (sql: (body: string) => string, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const names = [...new Set([...compiler.tables, ...universeTables])];
    // All rows of these define the patients.
    const some = Object.entries(compiler.conditions).filter(([name]) => !universeTables.includes(name));
    const projects = all.map((project) => ({ ...project, conditions: Object.fromEntries(some) }));
    const waited = AbortSignal.any([signal, AbortSignal.timeout(waitMaxMs)]);
    // Tables without patients define things. Access to the rows of some patients would hide them.
    const definitions = projects.map((project) => ({ ...project, access: fullAccess('real') }));
    try {
      return await this.#lake.withRelationsOfAll(
        [...projects, ...definitions],
        names,
        (relations) => {
          const visible = projects.map((_, at) =>
            names.flatMap(
              (name) =>
                relations[ofPatients(name) ? at : at + projects.length]?.find((one) => one.name === name) ??
                [],
            ),
          );
          return run((body) => withRelations(body, names, visible, alikeOwnTables(projects)), waited);
        },
        waited,
      );
    } catch (error) {
      throw tooMuch(error) ?? error;
    }
  }

  #placeOf(query: Query, projects: PinnedProject[], purpose: string): Place {
    const { pageToken } = query.options;
    const path = 'body/query/options/pageToken';
    if (pageToken === undefined) return { offset: 0, versions: [] };
    const place = this.#read(pageToken, purpose);
    if (!place)
      throw invalidInput([{ path, message: 'is not a token of this query; start again without it' }]);
    if (place.versions.join() !== versionsOf(projects).join()) {
      throw invalidInput([
        { path, message: 'is of data or rights that have changed since; start again without it' },
      ]);
    }
    return place;
  }

  #read(token: string, purpose: string): Place | undefined {
    try {
      return JSON.parse(this.#secrets.open(token, purpose)) as Place;
    } catch {
      return undefined;
    }
  }
}

const versionsOf = (projects: PinnedProject[]): string[] =>
  projects.map(({ dataVersion, annotations, access }) => `${dataVersion}/${annotations}/${access.real}`);

/** Maps errors that the caller can act on. */
function tooMuch(error: unknown): Problem | undefined {
  if (error instanceof DOMException && error.name === 'TimeoutError') return overloaded(error);
  const lost = temporaryProblem(error);
  if (lost || !(error instanceof EngineError)) return lost;
  if (error.code === 'SQL' || error.code === 'INPUT' || error.code === 'WORKER_LOST') return undefined;
  const advice = error.code === 'TIME' ? ' Or run it as a query of the data lake.' : '';
  return new Problem(422, `ANALYTICS_${error.code}`, error.message + advice, { cause: error });
}

/**
 * Builds a statement over the relations of one or several projects. Each relation is the union of theirs with
 * the project's index; a missing table has no rows.
 */
export function withRelations(
  body: string,
  names: Iterable<string>,
  projects: QueryTable[][],
  own: ReadonlyMap<string, Table> = new Map(),
): string {
  const relations = [...names].map(
    (name) => `"${name}" AS (${unionOf(name, projects) ?? emptyOf(name, own)})`,
  );
  return `WITH ${[...relations, `universe AS (${universe})`].join(',\n')}\n${body}`;
}

/** Tables that define patients: those with a Patient resource or a sample. */
export const universeTables = ['patient', 'sequence'];

const universe = `SELECT _project, patient_id FROM "patient" WHERE patient_id IS NOT NULL
  UNION SELECT _project, patient_id FROM "sequence" WHERE patient_id IS NOT NULL`;

function unionOf(name: string, projects: QueryTable[][]): string | undefined {
  const parts = projects.flatMap((relations, at) => {
    const relation = relations.find((one) => one.name === name);
    return relation ? [`SELECT ${at} AS _project, * FROM (${rowsOf(relation)})`] : [];
  });
  return parts.length > 0 ? parts.join(' UNION ALL ') : undefined;
}

/** Returns the SQL of a relation with the rows that it reads by name. */
function rowsOf({ sql, settled }: QueryTable): string {
  return settled ? `WITH "${settled.name}" AS MATERIALIZED (${settled.sql}) ${sql}` : sql;
}

/** Reports whether access to the rows of patients decides about a table. */
function ofPatients(name: string): boolean {
  const table = tables.get(name);
  return !table || hasPatients(table);
}

function emptyOf(name: string, own: ReadonlyMap<string, Table>): string {
  const columns: Column[] = (tables.get(name) ?? own.get(name))?.columns ?? [];
  const list = columns.map((column) => `CAST(NULL AS ${engineTypes[column.type]}) AS "${column.name}"`);
  return `SELECT 0 AS _project, ${list.join(', ')} WHERE false`;
}
