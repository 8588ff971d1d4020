import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import { timestamp } from '../../ids.ts';
import type { CohortPartsTable, CohortsTable } from '../../platform/records/schema-cohorts.ts';
import { attributesOfTables } from '../lake/index.ts';

/** One of the queries whose patients a cohort unites. */
export interface CohortQuery {
  project: string;
  queryType: 'dsl' | 'sql' | 'subjects';
  query: Record<string, unknown>;
}

/** What makes a cohort; what is absent in a change stays. */
export interface CohortInput {
  name: string;
  description?: string | undefined;
  queries?: CohortQuery[] | undefined;
  subjectIds?: string[] | undefined;
}

export type CohortRecord = CohortsTable & { parts: CohortPartsTable[] };

/** A cohort as the API shows it (specification, "Cohort"; docs/clarifications.md). */
export interface CohortView {
  id: string;
  name: string;
  description: string;
  ownerProject: string;
  resultCount: number;
  creatorUser: string;
  creationTime: string;
  /** When the oldest of the counts was made; without a count, when it was made or its queries last changed. */
  countedTime: string;
  queries: CohortQuery[];
  subjectIds: string[];
  /** Why it could not be counted over the present data; `resultCount` is the last count then. */
  error?: string;
}

/** In epoch milliseconds. A cohort without a query has nothing that is counted. */
function countedAt(cohort: CohortsTable, parts: CohortPartsTable[]): number {
  return parts.length === 0 ? cohort.counted_at : Math.min(...parts.map((part) => part.counted_at));
}

/** What policies may ask of a cohort. */
export function attributesOfCohort(row: CohortsTable): ResourceAttributes {
  return {
    account: row.account_id,
    dataset: row.project_id,
    type: 'cohort',
    id: row.id,
    ownerId: row.creator_id,
  };
}

/** Most queries that a cohort may have. */
export const queriesMax = 20;

/** Whether somebody sees what is of a project: what a cohort asks there, and its members. */
export type Sees = (project: string) => boolean;

/** A cohort counts, and says what it asks, in the projects whose tables its reader may read, and in no others. */
export function seenBy(caller: Caller, { account_id }: CohortsTable): Sees {
  return (project_id) => caller.may('lake.read', attributesOfTables({ account_id, project_id }));
}

/** What of a cohort its reader sees. */
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
