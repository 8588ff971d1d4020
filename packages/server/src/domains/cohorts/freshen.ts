import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { CohortPartsTable, CohortsTable } from '../../platform/records/schema-cohorts.ts';
import { Problem } from '../../problem.ts';
import { queriesOf, subjectsOf } from './cohort.ts';
import { type FoundMembers, findMembers, type MemberParts } from './members.ts';
import { publishMembers } from './parts.ts';
import { readQueries } from './read-queries.ts';

/** Counts a cohort again in those of its projects whose data have changed since. */
export async function freshenCohort(
  parts: MemberParts,
  cohortId: string,
  signal: AbortSignal,
): Promise<void> {
  await freshen(parts, { column: 'cohort_id', id: cohortId }, signal);
}

/** The same for all cohorts that have members in a project, before a statement reads them. */
export async function freshenProject(
  parts: MemberParts,
  projectId: string,
  signal: AbortSignal,
): Promise<void> {
  await freshen(parts, { column: 'project_id', id: projectId }, signal);
}

async function freshen(
  parts: MemberParts,
  of: { column: 'cohort_id' | 'project_id'; id: string },
  signal: AbortSignal,
): Promise<void> {
  const annotations = await parts.lake.serviceAnnotations();
  const stale = await parts.records.read
    .selectFrom('cohort_parts as c')
    .innerJoin('projects as p', 'p.id', 'c.project_id')
    .innerJoin('lakes as l', 'l.project_id', 'c.project_id')
    .selectAll('c')
    .select('l.data_version as present_version')
    .where(`c.${of.column}`, '=', of.id)
    .where((where) =>
      where.or([
        where('c.data_version', '<>', where.ref('l.data_version')),
        where('c.annotations', '<>', annotations),
      ]),
    )
    .execute();
  for (const part of stale) await freshenPart(parts, { ...part, present_annotations: annotations }, signal);
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

/** Of several that count at once the first one is taken. A cohort that broke keeps its last count and members. */
async function settle(tx: Transaction, part: StalePart, found: FoundMembers | Broken): Promise<boolean> {
  const values =
    'reason' in found
      ? { error: found.reason, data_version: part.present_version, annotations: part.present_annotations }
      : {
          error: null,
          data_version: found.dataVersion,
          annotations: found.annotations,
          member_count: found.count,
          counted_at: Date.now(),
        };
  const { numUpdatedRows } = await tx
    .updateTable('cohort_parts')
    .set(values)
    .where('id', '=', part.id)
    .where('data_version', '=', part.data_version)
    .where('annotations', '=', part.annotations)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  if (!('reason' in found)) await publishMembers(tx, part, found);
  return true;
}
