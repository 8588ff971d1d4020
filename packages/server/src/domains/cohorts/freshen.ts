import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../log.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { CohortPartsTable, CohortsTable } from '../../platform/records/schema-cohorts.ts';
import { Problem, withBeginning } from '../../problem.ts';
import { type CohortRecord, queriesOf, subjectsOf } from './cohort.ts';
import { endOfDay, endOfLatestDay, type FoundMembers, findMembers, type MemberParts } from './members.ts';
import { publishMembers } from './parts.ts';
import { readQueries } from './read-queries.ts';

export interface FreshenParts extends MemberParts {
  /** Counts under way, by what they count and in which data: who needs the same waits for it. */
  underWay: Map<string, Counting>;
}

/** It ends when nobody waits for it any more. */
interface Counting {
  done: Promise<void>;
  waiting: number;
  abort: AbortController;
}

/** Counts a cohort again in those of its projects whose data have changed since, or whose day is over, or has not come, on which its queries depend. */
export async function freshenCohort(
  parts: FreshenParts,
  cohortId: string,
  signal: AbortSignal,
): Promise<void> {
  await freshen(parts, await stale(parts, 'cohort_id', cohortId), signal);
}

/** The same for all cohorts that have members in a project, before a statement reads them. A Problem names the cohort, of which its reader may never have heard. */
export async function freshenProject(
  parts: FreshenParts,
  projectId: string,
  signal: AbortSignal,
): Promise<void> {
  for (const part of await stale(parts, 'project_id', projectId)) {
    await freshenOnce(parts, part, signal).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      // Its id stands in the table: whoever reads that may not see its name.
      throw withBeginning(`The cohort ${part.cohort_id} cannot be counted over the present data`, error);
    });
  }
}

/** Longest that a list waits for its counts. */
const listWaitMaxMs = 5000;

/**
 * Counts those of a list again whose day has ended: no change of data tells its reader that their counts are others. Answers whether
 * there were any. What cannot be counted now, or not in time, keeps its last count, which has its date: the list is there without the
 * engine, too. Who was answered before leaves them to be counted for the next one.
 */
export async function freshenDay(
  parts: FreshenParts & { log: Logger },
  cohorts: CohortRecord[],
  signal: AbortSignal,
  waitMaxMs = listWaitMaxMs,
): Promise<boolean> {
  const now = Date.now();
  const hasEnded = ({ holds_until: until }: CohortPartsTable): boolean =>
    until !== null && (until <= now || until > endOfLatestDay(now));
  const ended = cohorts.filter((cohort) => cohort.parts.some(hasEnded));
  if (ended.length === 0) return false;
  // An abort that was is told to no listener.
  signal.throwIfAborted();
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(signal.reason);
  const count = async (): Promise<void> => {
    for (const { id } of ended) {
      const found = (await stale(parts, 'cohort_id', id)).filter(hasEnded);
      await freshen(parts, found, leaving.signal).catch((error: unknown) => {
        // What it asks too much of is its own matter; where the service is in need, the others fare no better.
        if (!(error instanceof Problem) || error.status >= 500) throw error;
        warn(error);
      });
    }
  };
  const warn = (error: unknown): void =>
    parts.log.warn({ err: error }, 'cohorts of a list could not be counted for this day');
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

async function stale(
  parts: MemberParts,
  column: 'cohort_id' | 'project_id',
  id: string,
): Promise<StalePart[]> {
  const annotations = await parts.lake.serviceAnnotations();
  const now = Date.now();
  const found = await parts.records.read
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

async function freshen(parts: FreshenParts, stale: StalePart[], signal: AbortSignal): Promise<void> {
  for (const part of stale) await freshenOnce(parts, part, signal);
}

/** Whoever asked first may go while others wait. */
async function freshenOnce(parts: FreshenParts, part: StalePart, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { underWay } = parts;
  const key = [part.id, part.present_version, part.present_annotations, endOfDay(Date.now())].join(' ');
  const counting = underWay.get(key) ?? begin(parts, part);
  underWay.set(key, counting);
  counting.waiting += 1;
  try {
    await unlessAborted(counting.done, signal);
  } finally {
    counting.waiting -= 1;
    // Nobody may join what is about to end, and another may be under way by now.
    if (counting.waiting === 0 && underWay.get(key) === counting) underWay.delete(key);
    if (counting.waiting === 0) counting.abort.abort();
  }
}

function begin(parts: FreshenParts, part: StalePart): Counting {
  const abort = new AbortController();
  return { done: freshenPart(parts, part, abort.signal), waiting: 0, abort };
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

type StalePart = CohortPartsTable & { present_version: number; present_annotations: string };

async function freshenPart(parts: MemberParts, part: StalePart, signal: AbortSignal): Promise<void> {
  const { records, blobs } = parts;
  const cohort = await records.read
    .selectFrom('cohorts')
    .selectAll()
    .where('id', '=', part.cohort_id)
    .executeTakeFirst();
  if (!cohort) return;
  const found = await membersOf(parts, cohort, part, signal);
  const kept = await records.transact((tx) => settle(tx, part, found));
  if (!kept && !('reason' in found)) await removeFreed(blobs, [found.blob.key]);
}

/** Why a cohort cannot be counted any more. */
interface Broken {
  reason: string;
}

async function membersOf(
  parts: MemberParts,
  cohort: CohortsTable,
  part: CohortPartsTable,
  signal: AbortSignal,
): Promise<FoundMembers | Broken> {
  try {
    const subjects = { project: cohort.project_id, ids: subjectsOf(cohort) };
    const queries = queriesOf(cohort);
    const source = readQueries(queries, subjects, queries).get(part.project_id);
    const { project_id: project, cohort_id: cohortId } = part;
    return await findMembers(
      parts,
      { cohortId, project, source: source ?? { tests: [], statements: [] } },
      signal,
    );
  } catch (error) {
    // What its author can mend is told with the last count; anything else passes, and the next reader tries again.
    const isOfHost = !(error instanceof Problem) || error.status >= 500 || error.code.endsWith('_DISK');
    if (isOfHost) throw error;
    return { reason: error.details?.map(({ message }) => `A query ${message}.`).join(' ') ?? error.message };
  }
}

/**
 * Of several that count at once the first one is taken, and one over newer data, or of a later day, after it. A cohort that broke keeps
 * its last count and members.
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
  if (!('reason' in found)) await publishMembers(tx, part, found);
  return true;
}
