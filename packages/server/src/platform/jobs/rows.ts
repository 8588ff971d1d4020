import type { Selectable } from 'kysely';
import { Problem } from '../../base/problem.ts';
import type { JobsTable } from '../records/schema-platform.ts';
import type { Whose } from './admission.ts';
import type { Job } from './jobs.ts';

export type JobRow = Selectable<JobsTable>;

export function jobOf(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    payload: JSON.parse(row.payload) as Job['payload'],
    attempts: row.attempts,
    attemptsMax: row.attempts_max,
  };
}

export function whoseOf(row: Pick<JobRow, 'account_id' | 'project_id' | 'user_id'>): Whose {
  return { account: row.account_id, project: row.project_id, user: row.user_id };
}

/** Returns a stable code for an error: messages may hold what must not be stored. */
export function failureCode(error: unknown): string {
  return error instanceof Problem ? error.code : 'INTERNAL';
}
