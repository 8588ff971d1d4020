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
  /** Epoch milliseconds: when others may be members although the data are the same; null: never. */
  holdsUntil: number | null;
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
  // Before the statements: data that come in between, and a day that ends, make the count look older than it is, never newer.
  const pinned = await parts.analytics.pin(project, 'real');
  const midnight = endOfDay(Date.now());
  const lists: List[] = [];
  const outputPath = await parts.blobs.scratchPath('parquet');
  try {
    for (const statement of source.statements)
      lists.push(await runStatement(parts, project, statement, signal));
    const of = { project: pinned, cohortId, members: lists.map(({ path }) => path), outputPath };
    const written = await parts.analytics.writeMembers(anyOf(source.tests), of, signal);
    const blob = await parts.blobs.adopt(outputPath, written);
    const { dataVersion, annotations } = pinned;
    const holdsUntil = [written, ...lists].some(({ asksClock }) => asksClock) ? midnight : null;
    return { project, dataVersion, annotations, holdsUntil, count: written.rowCount, blob };
  } finally {
    // What was adopted is not there any more.
    for (const path of [...lists.map((list) => list.path), outputPath])
      await parts.blobs.discardScratch(path);
  }
}

/** Patients that a statement gave. */
interface List {
  path: string;
  /** At another time it may give others. */
  asksClock: boolean;
}

const dayMs = 86_400_000;

/** The next midnight of UTC, by which the engine's day ends. What asks for less than days is as good as of its day. */
export const endOfDay = (now: number): number => (Math.floor(now / dayMs) + 1) * dayMs;

/** Longest that the clocks of processes are apart, of which one has begun the day before the others. */
const clocksApartMaxMs = 300_000;

/** What holds longer was counted by a clock that was ahead: by the members of a day that has not come. */
export const endOfLatestDay = (now: number): number => endOfDay(now + clocksApartMaxMs);

function anyOf(tests: PatientTest[]): PatientTest | undefined {
  const [only, second] = tests;
  return second === undefined ? only : { kind: 'or', of: tests };
}

/** Runs a statement of the author's under the same guard and limits as any query. */
async function runStatement(
  { engine, lake, blobs }: MemberParts,
  project: string,
  { sql, at }: MemberSource['statements'][number],
  signal: AbortSignal,
): Promise<List> {
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
  return { path: outputPath, asksClock: checked.asksClock === true };
}

function statementProblem(error: unknown, path: string): Problem | undefined {
  if (error instanceof DOMException && error.name === 'TimeoutError') return overloaded(error);
  if (!(error instanceof EngineError) || error.code === 'WORKER_LOST') return undefined;
  if (error.code !== 'SQL') return new Problem(422, `COHORT_${error.code}`, error.message, { cause: error });
  const message = /column "patient_id" (was )?not found/i.test(error.message)
    ? 'must select a column patient_id'
    : `cannot be run: ${error.message}`;
  return invalidInput([{ path, message }]);
}
