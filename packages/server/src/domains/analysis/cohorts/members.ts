import { type Engine, EngineError } from '@ploidy/engine';
import type { Bounds } from '@ploidy/formats/tables';
import { invalidInput, overloaded, Problem } from '../../../base/problem.ts';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import type { Records } from '../../../platform/records/records.ts';
import { fullAccess, type Lake, temporaryProblem } from '../../lake/index.ts';
import type { Analytics, PatientTest } from '../analytics/index.ts';
import type { MemberSource } from './read-queries.ts';

export interface MemberDeps {
  records: Records;
  blobs: Blobs;
  engine: Engine;
  lake: Lake;
  analytics: Analytics;
}

/** Members of a cohort in one project, written and not yet visible. */
export interface FoundMembers {
  project: string;
  /** Version of the data they were found in. */
  dataVersion: number;
  /** Annotations of the service at that time. */
  annotations: string;
  /** Epoch milliseconds at which the members may change without new data; null: never. */
  holdsUntil: number | null;
  count: number;
  blob: BlobInfo;
  bounds?: Bounds | undefined;
}

/** Longest run of a cohort's statement. */
const statementMaxMs = 30_000;
/** Longest wait for a statement: queueing, copying files and running. */
const waitMaxMs = 2 * statementMaxMs;

/**
 * Finds the members of a cohort in a project over unmasked values; ids that are no patients of the project are ignored. Problem
 * 400 for a statement that does not select patients; 422 for a slow one; 503 if the queue is full.
 */
export async function findMembers(
  deps: MemberDeps,
  wanted: { cohortId: string; project: string; source: MemberSource; caller: string },
  signal: AbortSignal,
): Promise<FoundMembers> {
  const { project, source, cohortId, caller } = wanted;
  // Read before the statements run: data or days that change meanwhile make the count look older, never
  // newer.
  const pinned = await deps.analytics.pin(project, 'real');
  const midnight = endOfDay(Date.now());
  const lists: List[] = [];
  const outputPath = await deps.blobs.scratchPath('parquet');
  try {
    for (const statement of source.statements)
      lists.push(await runStatement(deps, wanted, statement, signal));
    const of = {
      project: pinned,
      cohortId,
      members: lists.map(({ path }) => path),
      selects: source.selects,
      outputPath,
    };
    const written = await deps.analytics.writeMembers(anyOf(source.tests), of, { caller, signal });
    const blob = await deps.blobs.adopt(outputPath, written);
    const { dataVersion, annotations } = pinned;
    const holdsUntil = [written, ...lists].some(({ asksClock }) => asksClock) ? midnight : null;
    return {
      project,
      dataVersion,
      annotations,
      holdsUntil,
      count: written.rowCount,
      blob,
      bounds: written.bounds,
    };
  } finally {
    // The adopted file no longer exists here.
    for (const path of [...lists.map((list) => list.path), outputPath]) await deps.blobs.discardScratch(path);
  }
}

/** Patients that a statement selected. */
interface List {
  path: string;
  /** True if the statement depends on the clock. */
  asksClock: boolean;
}

const dayMs = 86_400_000;

/** Returns the next midnight UTC, at which the engine's day ends. Counts that depend on the time of day are valid for their day. */
export const endOfDay = (now: number): number => (Math.floor(now / dayMs) + 1) * dayMs;

/** Longest assumed difference between the clocks of processes. */
const clocksApartMaxMs = 300_000;

/** Latest credible validity: a longer one was set by a fast clock, for a day that has not begun. */
export const endOfLatestDay = (now: number): number => endOfDay(now + clocksApartMaxMs);

function anyOf(tests: PatientTest[]): PatientTest | undefined {
  const [only, second] = tests;
  return second === undefined ? only : { kind: 'or', of: tests };
}

/** Runs a statement of the author under the same guard and limits as any query. */
async function runStatement(
  { engine, lake, blobs }: MemberDeps,
  { project, caller }: { project: string; caller: string },
  { sql, at }: MemberSource['statements'][number],
  signal: AbortSignal,
): Promise<List> {
  const path = `body/queries/${at}/query/sql`;
  const { version, tables } = await lake.snapshot(project, fullAccess('real'));
  // Cohorts of cohorts would need an order of counting.
  const names = [...tables.keys()].filter((name) => name !== 'cohort');
  const checked = await engine
    .check(sql, names, undefined, { name: caller, signal })
    .catch((error: unknown) => {
      throw error instanceof Problem && error.details
        ? invalidInput(error.details.map(({ message }) => ({ path, message: `is not valid: ${message}` })))
        : error;
    });
  const outputPath = await blobs.scratchPath('parquet');
  const only = `SELECT DISTINCT CAST(patient_id AS VARCHAR) AS patient_id FROM (${checked.sql}) WHERE patient_id IS NOT NULL`;
  const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMaxMs)]);
  const { conditions } = checked;
  const pinned = { id: project, version, access: fullAccess('real'), conditions };
  const statement = { ...checked, sql: only };
  try {
    await lake.withRelations(
      pinned,
      checked.tables,
      (tables) =>
        engine.query(
          { statement, tables, outputPath, format: 'parquet', runTimeMaxMs: statementMaxMs, caller },
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
  const temporary = temporaryProblem(error);
  if (temporary || !(error instanceof EngineError)) return temporary;
  if (error.code === 'WORKER_LOST' || error.code === 'INPUT') return undefined;
  if (error.code !== 'SQL') return new Problem(422, `COHORT_${error.code}`, error.message, { cause: error });
  // The engine hides what the statement of the caller does not have.
  const message = /column "(?:patient_id|…)" (was )?not found/i.test(error.message)
    ? 'must select a column patient_id'
    : `cannot be run: ${error.message}`;
  return invalidInput([{ path, message }]);
}
