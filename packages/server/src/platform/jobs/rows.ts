import { EngineError } from '@ploidy/engine';
import type { Selectable } from 'kysely';
import { Problem } from '../../base/problem.ts';
import type { JobsTable } from '../records/schema-platform.ts';
import type { Whose } from './admission.ts';
import type { Job } from './jobs.ts';

export type JobRow = Selectable<JobsTable>;

/** Replacement of an unreadable payload. */
const unreadable: Job['payload'] = Object.freeze({});

/** Reports whether the payload of a job could be read; its handler never sees one that could not. */
export function isReadable({ payload }: Job): boolean {
  return payload !== unreadable;
}

/** Never throws: a row that could not become a job would stop all others of its kind. */
function payloadOf(text: string): Job['payload'] {
  try {
    const value: unknown = JSON.parse(text);
    const isPayload =
      value instanceof Object &&
      !Array.isArray(value) &&
      Object.values(value).every((one) => typeof one === 'string');
    return isPayload ? (value as Job['payload']) : unreadable;
  } catch {
    return unreadable;
  }
}

/** More than any kind of job asks for: mails of a month take 190. */
export const attemptsLimit = 300;

/** Runs of a job that may end with their process, until the job is taken for the reason. */
export const lostMax = 5;

/** Returns the attempts of a row. A claim counts from 1: a row with less was not counted by one, and has no attempt left. */
function attemptsOf({ attempts, attempts_max }: JobRow): Pick<Job, 'attempts' | 'attemptsMax'> {
  const attemptsMax = Math.min(attempts_max, attemptsLimit);
  return { attempts: attempts < 1 ? attemptsMax : attempts, attemptsMax };
}

export function jobOf(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    payload: payloadOf(row.payload),
    ...attemptsOf(row),
    lost: Math.max(0, row.lost),
    whose: whoseOf(row),
  };
}

/** Values of `is_long`. */
export const sizes = { small: -1, short: 0, long: 1 } as const;

export function sizeOf({ is_long }: Pick<JobRow, 'is_long'>): { isLong: boolean; isSmall: boolean } {
  return { isLong: is_long === sizes.long, isSmall: is_long === sizes.small };
}

export function whoseOf(row: Pick<JobRow, 'account_id' | 'project_id' | 'user_id'>): Whose {
  return { account: row.account_id, project: row.project_id, user: row.user_id };
}

/** Returns a stable code for an error: messages may hold what must not be stored. */
export function failureCode(error: unknown): string {
  return error instanceof Problem || error instanceof EngineError ? error.code : 'INTERNAL';
}
