import { newId } from '../../../base/ids.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import type { CohortPartsTable, CohortsTable } from '../../../platform/records/schema-cohorts.ts';
import { requireProject } from '../../files/projects/index.ts';
import { publishSegments } from '../../lake/index.ts';
import { keepCount } from './counts.ts';
import type { FoundMembers } from './members.ts';

/** Publishes found members: their counts here, the patients as a segment of the lake. */
export async function insertParts(
  tx: Transaction,
  cohort: CohortsTable,
  found: FoundMembers[],
): Promise<CohortPartsTable[]> {
  const parts: CohortPartsTable[] = [];
  for (const members of found) {
    await requireProject(tx, members.project);
    const part: CohortPartsTable = {
      id: newId(),
      cohort_id: cohort.id,
      project_id: members.project,
      account_id: cohort.account_id,
      data_version: members.dataVersion,
      annotations: members.annotations,
      holds_until: members.holdsUntil,
      member_count: members.count,
      counted_at: Date.now(),
      error: null,
    };
    await tx.insertInto('cohort_parts').values(part).execute();
    await keepCount(tx, part);
    await publishMembers(tx, part, members);
    parts.push(part);
  }
  return parts;
}

/**
 * Publishes members as a segment whose source is the cohort's part, which retires the previous segment at
 * once.
 */
export async function publishMembers(
  tx: Transaction,
  part: Pick<CohortPartsTable, 'id' | 'project_id'>,
  { count: rowCount, blob, bounds }: FoundMembers,
): Promise<void> {
  await publishSegments(tx, {
    project: part.project_id,
    fileId: part.id,
    ingestionId: newId(),
    segments: [{ table: 'cohort', rowCount, blob, genomeBuild: null, bounds }],
    derived: true,
  });
}
