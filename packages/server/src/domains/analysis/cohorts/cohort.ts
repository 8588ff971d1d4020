import type { Caller } from '../../../access/caller.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { timestamp } from '../../../base/ids.ts';
import type { CohortPartsTable, CohortsTable } from '../../../platform/records/schema-cohorts.ts';
import { attributesOfTables } from '../../lake/index.ts';

/** Query of a cohort, over one project. */
export interface CohortQuery {
  project: string;
  queryType: 'dsl' | 'sql' | 'subjects' | 'study';
  query: Record<string, unknown>;
}

/** Definition of a cohort; absent fields stay unchanged in a change. */
export interface CohortInput {
  name: string;
  description?: string | undefined;
  queries?: CohortQuery[] | undefined;
  subjectIds?: string[] | undefined;
}

export type CohortRecord = CohortsTable & { parts: CohortPartsTable[] };

/** Cohort as the API shows it (specification, "Cohort"; docs/api/cohorts.md). */
interface CohortView {
  id: string;
  name: string;
  description: string;
  ownerProject: string;
  resultCount: number;
  creatorUser: string;
  creationTime: string;
  /** Time of the oldest count; without a count, of the creation or last change of queries. */
  countedTime: string;
  queries: CohortQuery[];
  subjectIds: string[];
  /** Reason why it could not be counted over the present data; `resultCount` is then the last count. */
  error?: string;
}

/** Returns the time of the oldest count, in epoch ms; a cohort without a query has no counts. */
function countedAt(cohort: CohortsTable, parts: CohortPartsTable[]): number {
  return parts.length === 0 ? cohort.counted_at : Math.min(...parts.map((part) => part.counted_at));
}

/** Attributes of a cohort for policies. */
export function attributesOfCohort(row: CohortsTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'cohort',
    id: row.id,
    ownerId: row.creator_id,
  };
}

/** Describes a cohort as a FHIR group. Its members are many, and leave by a Bulk Data export. */
export function groupOf({ id, name, description }: CohortsTable): { id: string; data: string } {
  const text = description === '' ? {} : { code: { text: description } };
  const group = { resourceType: 'Group', id, active: true, type: 'person', actual: true, ...text, name };
  return { id, data: JSON.stringify(group) };
}

export const queriesMax = 20;

/** Reports whether a project's share of a cohort is visible: its queries and members. */
export type Sees = (project: string) => boolean;

/** Limits a cohort to the projects whose tables the caller may read. */
export function seenBy(caller: Caller, { account_id }: CohortsTable): Sees {
  return (project_id) => caller.may('lake.read', attributesOfTables({ account_id, project_id }));
}

/** Shows the visible share of a cohort. */
export function viewOfCohort(cohort: CohortRecord, caller: Caller): CohortView {
  const sees = seenBy(caller, cohort);
  const parts = cohort.parts.filter((part) => sees(part.project_id));
  const errors = parts.flatMap(({ error }) => error ?? []);
  return {
    id: cohort.id,
    name: cohort.name,
    description: cohort.description,
    ownerProject: cohort.project_id,
    resultCount: parts.reduce((sum, part) => sum + part.member_count, 0),
    creatorUser: cohort.creator_id,
    creationTime: timestamp(cohort.created_at),
    countedTime: timestamp(countedAt(cohort, parts)),
    queries: queriesOf(cohort).filter(({ project }) => sees(project)),
    subjectIds: sees(cohort.project_id) ? subjectsOf(cohort) : [],
    ...(errors.length > 0 && { error: errors.join(' ') }),
  };
}

export const queriesOf = (row: CohortsTable): CohortQuery[] => JSON.parse(row.queries) as CohortQuery[];
export const subjectsOf = (row: CohortsTable): string[] => JSON.parse(row.subject_ids) as string[];
