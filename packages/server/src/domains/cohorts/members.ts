import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import { type Engine, EngineError } from '../../platform/engine/engine.ts';
import type { Records } from '../../platform/records/records.ts';
import { invalidInput, overloaded, Problem } from '../../problem.ts';
import type { Analytics, PatientTest } from '../analytics/index.ts';
import { type Lake, wholeSight } from '../lake/index.ts';
import type { MemberSource } from './read-queries.ts';

export interface MemberParts {
  records: Records;
  blobs: Blobs;
  engine: Engine;
  lake: Lake;
  analytics: Analytics;
}

/** The members of a cohort in one project, found and written, not yet visible. */
export interface FoundMembers {
  project: string;
  /** The data that they were found in. */
  dataVersion: number;
  /** The annotations of the service meanwhile. */
  annotations: string;
  count: number;
  blob: BlobInfo;
}

/** Longest run of a statement of a cohort. */
const statementMaxMs = 30_000;
/** Longest that somebody waits for it: for its turn, for copies of files, and for what it answers. */
const waitMaxMs = 2 * statementMaxMs;

/**
 * Finds the members of a cohort in a project over real values; who is no patient of the project does not count. Problem 400
 * for a statement that does not select patients, 422 for one that takes too long, 503 when its turn does not come.
 */
export async function findMembers(
  parts: MemberParts,
  wanted: { cohortId: string; project: string; source: MemberSource },
  signal: AbortSignal,
): Promise<FoundMembers> {
  const { project, source, cohortId } = wanted;
  // Before the statements: data that come in between make the count look older than it is, never newer.
  const pinned = await parts.analytics.pin(project, 'real');
  const lists: string[] = [];
  const outputPath = await parts.blobs.scratchPath('parquet');
  try {
    for (const statement of source.statements)
      lists.push(await runStatement(parts, project, statement, signal));
    const of = { project: pinned, cohortId, members: lists, outputPath };
    const written = await parts.analytics.writeMembers(anyOf(source.tests), of, signal);
    const blob = await parts.blobs.adopt(outputPath, written);
    const { dataVersion, annotations } = pinned;
    return { project, dataVersion, annotations, count: written.rowCount, blob };
  } finally {
    // What was adopted is not there any more.
    for (const path of [...lists, outputPath]) await parts.blobs.discardScratch(path);
  }
}

function anyOf(tests: PatientTest[]): PatientTest | undefined {
  const [only, second] = tests;
  return second === undefined ? only : { kind: 'or', of: tests };
}

/** Runs a statement of the author's under the same guard and limits as any query; answers the path of its patients. */
async function runStatement(
  { engine, lake, blobs }: MemberParts,
  project: string,
  { sql, at }: MemberSource['statements'][number],
  signal: AbortSignal,
): Promise<string> {
  const path = `body/queries/${at}/query/sql`;
  const { version, tableNames } = await lake.snapshot(project, wholeSight('real'));
  // Cohorts of cohorts would have to be counted in an order.
  const names = tableNames.filter((name) => name !== 'cohort');
  const checked = await engine.check(sql, names).catch((error: unknown) => {
    throw error instanceof Problem && error.details
      ? invalidInput(error.details.map(({ message }) => ({ path, message: `is not valid: ${message}` })))
      : error;
  });
  const outputPath = await blobs.scratchPath('parquet');
  const only = `SELECT DISTINCT CAST(patient_id AS VARCHAR) AS patient_id FROM (${checked.sql}) WHERE patient_id IS NOT NULL`;
  const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMaxMs)]);
  const pinned = { id: project, version, sight: wholeSight('real') };
  const statement = { ...checked, sql: only };
  try {
    await lake.withRelations(
      pinned,
      checked.tables,
      (tables) =>
        engine.query(
          { statement, tables, outputPath, format: 'parquet', runTimeMaxMs: statementMaxMs },
          patience,
        ),
      patience,
    );
  } catch (error) {
    throw statementProblem(error, path) ?? error;
  }
  return outputPath;
}

function statementProblem(error: unknown, path: string): Problem | undefined {
  if (error instanceof DOMException && error.name === 'TimeoutError') return overloaded(error);
  if (!(error instanceof EngineError) || error.code === 'WORKER_LOST') return undefined;
  if (error.code !== 'SQL') return new Problem(422, `COHORT_${error.code}`, error.message, { cause: error });
  const message = /"patient_id"/.test(error.message)
    ? 'must select a column patient_id'
    : `cannot be run: ${error.message}`;
  return invalidInput([{ path, message }]);
}
