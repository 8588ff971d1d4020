import { type Engine, EngineError, type QueryTable } from '@ploidy/engine';
import type { Caller } from '../../../access/caller.ts';
import { Problem } from '../../../base/problem.ts';
import type { ProjectRecord } from '../../files/projects/index.ts';
import { type Lake, type RowAccess, tablesOf, temporaryProblem } from '../../lake/index.ts';
import { requireSingleRows, scopesOf } from './limited-readers.ts';
import { maskedResources, maskedTables, relationName } from './masked-resources.ts';
import type { ResourceRow, Statement } from './statement.ts';

/** Person or program that reads, and until when. */
export interface ReadBy {
  caller: Caller;
  signal: AbortSignal;
}

/** Group that the service makes of a cohort. */
export interface MadeGroup {
  id: string;
  data: string;
}

/** Statement to run, with its parameters. */
interface Asked {
  sql: string;
  statement: Statement;
  groups?: readonly MadeGroup[];
  /** Set for a resource that is read by its id. */
  isRead?: boolean;
}

interface ReaderDeps {
  lake: Lake;
  engine: Engine;
  /** Minimum number of patients of a masked answer; 0: any. */
  countsMin: number;
}

/**
 * Reads resources by the statements of `statement.ts`, which have no text of callers. They run in processes that stay: a new
 * process for each, as SQL of users has, would cost more than most reads.
 */
export class ResourceReader {
  readonly #deps: ReaderDeps;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  /**
   * Runs a statement over the resources of a project that the caller sees: those in full, or masked ones for a caller who sees none in
   * full. `groups` are there as well. `patients`: the only ones that matter, so that other files are not read.
   */
  async rows(
    project: ProjectRecord,
    asked: Asked,
    by: ReadBy,
    patients?: readonly string[],
  ): Promise<ResourceRow[]> {
    return (await this.#run(project, asked, by, patients)) as unknown as ResourceRow[];
  }

  /** Runs a statement that counts, as `rows` does. */
  async count(
    project: ProjectRecord,
    asked: Asked,
    by: ReadBy,
    patients?: readonly string[],
  ): Promise<number> {
    const [row] = await this.#run(project, asked, by, patients);
    return Number(row?.['total'] ?? 0);
  }

  async #run(
    project: ProjectRecord,
    { sql, statement, groups = [], isRead = false }: Asked,
    { caller, signal }: ReadBy,
    patients: readonly string[] | undefined,
  ): Promise<Record<string, unknown>[]> {
    const { lake, engine } = this.#deps;
    const access = this.#accessOf(project, caller);
    const { version } = await lake.snapshot(project.id, access);
    const isMasked = access.real === false;
    // Ids of masked patients are in no file.
    const among = isMasked ? undefined : patients;
    const conditions = among && { resource: [[{ column: 'patient_id', among: [...among] }]] };
    const pinned = { id: project.id, version, access, conditions };
    const made = statement.parameters.add(JSON.stringify(groups), 'VARCHAR');
    const within = statement.within(scopesOf(caller, isRead), caller.patient);
    const names = [...(isMasked ? maskedTables : ['resource']), ...(groups.length > 0 ? ['cohort'] : [])];
    const run = (relations: QueryTable[]) => {
      const there = new Map(relations.map((relation) => [relation.name, relation]));
      const stored = isMasked ? maskedResources(there) : storedResources(there);
      const seen = `${groupsOf(there, made)} ${stored === '' ? '' : `UNION ALL ${stored}`}`;
      const resources = `resources AS NOT MATERIALIZED (SELECT * FROM (${seen}) WHERE ${within})`;
      const text = `WITH ${named(relations)}${resources}\n${sql}`;
      return engine.answer({ sql: text, parameters: statement.parameters.values }, signal, caller.userId);
    };
    try {
      return await lake.withRelations(pinned, names, run, signal);
    } catch (error) {
      throw tooCostly(error) ?? error;
    }
  }

  /** Reports whether the caller sees resources of a project, and these masked. */
  isMasked(project: ProjectRecord, caller: Caller): boolean {
    return this.#accessOf(project, caller).real === false;
  }

  /** Returns the access of a caller. Problem 403 where single rows are too small a count. */
  #accessOf(project: ProjectRecord, caller: Caller): RowAccess {
    const real = caller.rows('lake.read', tablesOf(project));
    if (real !== false) return { real, masked: false, countsMin: 0 };
    requireSingleRows(this.#deps.countsMin);
    return { real, masked: caller.rows('lake.readMasked', tablesOf(project)), countsMin: 0 };
  }
}

/** Builds the relations of tables under the names by which statements read them. */
function named(relations: readonly QueryTable[]): string {
  // No value makes the statement fail, so rows need not be set apart before.
  return relations
    .flatMap(({ name, sql, settled }) => [
      ...(settled ? [`"${settled.name}" AS NOT MATERIALIZED (${settled.sql}),\n`] : []),
      `${relationName(name)} AS NOT MATERIALIZED (${sql}),\n`,
    ])
    .join('');
}

const groupsForm = `'[{"id": "VARCHAR", "data": "VARCHAR"}]'`;
/** Members of a group that are listed. */
const membersMax = 10_000;

/** Builds the resources of the table that have `data`. */
function storedResources(there: ReadonlyMap<string, QueryTable>): string {
  if (!there.has('resource')) return '';
  return `SELECT patient_id, id, resource_type, data FROM ${relationName('resource')} WHERE data IS NOT NULL`;
}

/** Builds the groups of a statement, with the members that the caller sees. */
function groupsOf(there: ReadonlyMap<string, QueryTable>, groups: string): string {
  const member = "json_object('entity', json_object('reference', 'Patient/' || patient_id))";
  const members = there.has('cohort')
    ? `SELECT cohort_id, count(*) AS quantity, to_json(list(${member} ORDER BY patient_id)[1:${membersMax}]) AS member
      FROM ${relationName('cohort')} WHERE patient_id IS NOT NULL GROUP BY cohort_id`
    : 'SELECT NULL::VARCHAR AS cohort_id, 0 AS quantity, NULL::JSON AS member WHERE false';
  return `SELECT NULL::VARCHAR AS patient_id, g.id, 'Group' AS resource_type, CASE WHEN m.member IS NULL THEN g.data
      ELSE CAST(json_merge_patch(g.data, json_object('quantity', m.quantity, 'member', m.member)) AS VARCHAR) END AS data
    FROM (SELECT unnest(from_json(${groups}, ${groupsForm})) AS g) LEFT JOIN (${members}) AS m ON m.cohort_id = g.id`;
}

/** Maps errors that the caller can act on. */
function tooCostly(error: unknown): Problem | undefined {
  const lost = temporaryProblem(error);
  if (lost || !(error instanceof EngineError)) return lost;
  if (error.code === 'SQL' || error.code === 'INPUT' || error.code === 'WORKER_LOST') return undefined;
  const message = `${error.message} Name a patient, or add conditions.`;
  return new Problem(422, `QUERY_${error.code}`, message, { cause: error });
}
