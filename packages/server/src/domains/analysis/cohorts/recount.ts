import { setTimeout as delay } from 'node:timers/promises';
import { Problem, withPrefix } from '../../../base/problem.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import { unlessAborted } from '../../../platform/concurrency/unless-aborted.ts';
import type { Logger } from '../../../platform/log/log.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import type { CohortPartsTable, CohortsTable } from '../../../platform/records/schema-cohorts.ts';
import { type CohortRecord, queriesOf, subjectsOf } from './cohort.ts';
import { keepCount } from './counts.ts';
import { endOfDay, endOfLatestDay, type FoundMembers, findMembers, type MemberDeps } from './members.ts';
import { publishMembers } from './parts.ts';
import { readQueries } from './read-queries.ts';

export interface RecountDeps extends MemberDeps {
  /** Running recounts, by what they count and in which data: equal requests share one. */
  running: Map<string, Counting>;
}

/** Running recount; aborted when its answer is not needed any more. */
interface Counting {
  done: Promise<void>;
  waiting: number;
  abort: AbortController;
}

/** Recomputes a cohort's counts in its projects whose data version, or reference date for queries on the clock, changed. */
export async function recountCohort(deps: RecountDeps, cohortId: string, signal: AbortSignal): Promise<void> {
  await recount(deps, await stale(deps, 'cohort_id', cohortId), signal);
}

/**
 * Recomputes all cohorts with members in a project, before a statement reads them. A Problem names the
 * cohort, which the caller may not know.
 */
export async function recountProject(
  deps: RecountDeps,
  projectId: string,
  signal: AbortSignal,
): Promise<void> {
  for (const part of await stale(deps, 'project_id', projectId)) {
    await recountOnce(deps, part, signal).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      // The id, not the name: the caller can read the id in the table, but maybe not the name.
      throw withPrefix(`The cohort ${part.cohort_id} cannot be counted over the present data`, error);
    });
  }
}

/** Longest time that a list waits for its counts. */
const listWaitMaxMs = 5000;

/**
 * Recomputes the counts of a list whose day has ended; returns whether there were any. Counts that fail or
 * take too long keep their last value with its date, so lists work without the engine.
 */
export async function recountDay(
  deps: RecountDeps & { log: Logger },
  cohorts: CohortRecord[],
  signal: AbortSignal,
  waitMaxMs = listWaitMaxMs,
): Promise<boolean> {
  const now = Date.now();
  const hasEnded = ({ holds_until: until }: CohortPartsTable): boolean =>
    until !== null && (until <= now || until > endOfLatestDay(now));
  const ended = cohorts.filter((cohort) => cohort.parts.some(hasEnded));
  if (ended.length === 0) return false;
  // addEventListener misses an abort that already happened.
  signal.throwIfAborted();
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(signal.reason);
  const count = async (): Promise<void> => {
    for (const { id } of ended) {
      const found = (await stale(deps, 'cohort_id', id)).filter(hasEnded);
      await recount(deps, found, leaving.signal).catch((error: unknown) => {
        // An error of this cohort does not stop the others; an error of the service does.
        if (!(error instanceof Problem) || error.status >= 500) throw error;
        warn(error);
      });
    }
  };
  const warn = (error: unknown): void =>
    deps.log.warn({ err: error }, 'cohorts of a list could not be counted for this day');
  const counted = count().catch((error: unknown) => {
    if (!leaving.signal.aborted) warn(error);
  });
  signal.addEventListener('abort', leave, { once: true });
  const answered = new AbortController();
  const late = delay(waitMaxMs, undefined, { signal: answered.signal }).catch(() => undefined);
  await Promise.race([counted, late]);
  answered.abort();
  signal.removeEventListener('abort', leave);
  signal.throwIfAborted();
  return true;
}

async function stale(deps: MemberDeps, column: 'cohort_id' | 'project_id', id: string): Promise<StalePart[]> {
  const annotations = await deps.lake.serviceAnnotations();
  const now = Date.now();
  const found = await deps.records.read
    .selectFrom('cohort_parts as c')
    .innerJoin('projects as p', 'p.id', 'c.project_id')
    .innerJoin('lakes as l', 'l.project_id', 'c.project_id')
    .selectAll('c')
    .select('l.data_version as present_version')
    .where(`c.${column}`, '=', id)
    .where((where) =>
      where.or([
        where('c.data_version', '<>', where.ref('l.data_version')),
        where('c.annotations', '<>', annotations),
        where('c.holds_until', '<=', now),
        where('c.holds_until', '>', endOfLatestDay(now)),
      ]),
    )
    .execute();
  return found.map((part) => ({ ...part, present_annotations: annotations }));
}

async function recount(deps: RecountDeps, stale: StalePart[], signal: AbortSignal): Promise<void> {
  for (const part of stale) await recountOnce(deps, part, signal);
}

/** Awaits one recount, which continues for other callers if this one is aborted. */
async function recountOnce(deps: RecountDeps, part: StalePart, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { running } = deps;
  const key = [part.id, part.present_version, part.present_annotations, endOfDay(Date.now())].join(' ');
  const counting = running.get(key) ?? begin(deps, part);
  running.set(key, counting);
  counting.waiting += 1;
  try {
    await unlessAborted(counting.done, signal);
  } finally {
    counting.waiting -= 1;
    // Remove a recount that is being aborted, so that no caller joins it.
    if (counting.waiting === 0 && running.get(key) === counting) running.delete(key);
    if (counting.waiting === 0) counting.abort.abort();
  }
}

function begin(deps: RecountDeps, part: StalePart): Counting {
  const abort = new AbortController();
  return { done: recountPart(deps, part, abort.signal), waiting: 0, abort };
}

type StalePart = CohortPartsTable & { present_version: number; present_annotations: string };

async function recountPart(deps: MemberDeps, part: StalePart, signal: AbortSignal): Promise<void> {
  const { records, blobs } = deps;
  const cohort = await records.read
    .selectFrom('cohorts')
    .selectAll()
    .where('id', '=', part.cohort_id)
    .executeTakeFirst();
  if (!cohort) return;
  const found = await membersOf(deps, cohort, part, signal);
  const kept = await records.transact((tx) => settle(tx, part, found));
  if (!kept && !('reason' in found)) await removeFreed(blobs, [found.blob.key]);
}

/** Reason why a cohort cannot be counted any more. */
interface Broken {
  reason: string;
}

async function membersOf(
  deps: MemberDeps,
  cohort: CohortsTable,
  part: CohortPartsTable,
  signal: AbortSignal,
): Promise<FoundMembers | Broken> {
  try {
    const subjects = { project: cohort.project_id, ids: subjectsOf(cohort) };
    const queries = queriesOf(cohort);
    const sources = await readQueries(deps.lake, queries, subjects, queries);
    const source = sources.get(part.project_id);
    const { project_id: project, cohort_id: cohortId } = part;
    const wanted = { cohortId, project, source: source ?? { tests: [], statements: [], selects: [] } };
    return await findMembers(deps, { ...wanted, caller: cohort.creator_id }, signal);
  } catch (error) {
    // Errors that the author can fix are shown with the last count; others pass, and the next read retries.
    const isOfHost =
      !(error instanceof Problem) ||
      error.status >= 500 ||
      error.status === 429 ||
      error.code.endsWith('_DISK');
    if (isOfHost) throw error;
    return { reason: error.details?.map(({ message }) => `A query ${message}.`).join(' ') ?? error.message };
  }
}

/**
 * Keeps the first of concurrent results, and a later one only over newer data or for a later day. A broken
 * cohort keeps its last count and members.
 */
async function settle(tx: Transaction, part: StalePart, found: FoundMembers | Broken): Promise<boolean> {
  const values =
    'reason' in found
      ? {
          error: found.reason,
          data_version: part.present_version,
          annotations: part.present_annotations,
          holds_until: part.holds_until && endOfDay(Date.now()),
        }
      : {
          error: null,
          data_version: found.dataVersion,
          annotations: found.annotations,
          holds_until: found.holdsUntil,
          member_count: found.count,
          counted_at: Date.now(),
        };
  const { numUpdatedRows } = await tx
    .updateTable('cohort_parts')
    .set(values)
    .where('id', '=', part.id)
    .where(({ eb, and, or }) =>
      or([
        eb('data_version', '<', values.data_version),
        and([eb('data_version', '=', values.data_version), eb('holds_until', '<', values.holds_until)]),
        and([
          eb('data_version', '=', part.data_version),
          eb('annotations', '=', part.annotations),
          eb('holds_until', part.holds_until === null ? 'is' : '=', part.holds_until),
        ]),
      ]),
    )
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  if ('reason' in found) return true;
  await publishMembers(tx, part, found);
  if (found.count !== part.member_count)
    await keepCount(tx, { ...part, ...values, member_count: found.count });
  return true;
}
