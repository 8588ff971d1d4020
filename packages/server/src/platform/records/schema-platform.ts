import type { Generated } from 'kysely';
import type { JobState } from '../jobs/jobs.ts';

/** The durable queue (platform/jobs). Ended rows are kept 30 days. */
export interface JobsTable {
  /** Order of arrival. */
  seq: Generated<number>;
  id: string;
  kind: string;
  state: JobState;
  /** JSON object of strings: ids, never health data. */
  payload: string;
  attempts: number;
  attempts_max: number;
  /** What shares a limit and a turn, for instance a project; '' when nothing does. */
  queue_key: string;
  queue_max: number | null;
  /** What shares a limit and turns beside that, for instance a user; '' when nothing does. */
  share_key: Generated<string>;
  share_max: number | null;
  /** While it waits, the turn from which on it counts; once it runs, the turn that it had (jobs/claim.ts). */
  turn: Generated<number>;
  not_before: number;
  created_at: number;
  /** The process that runs it. */
  owner: string | null;
  /** A random token, new for each run: who does not hold it may not record a result. */
  lease: string | null;
  lease_until: number | null;
  ended_at: number | null;
  /** The code of what went wrong last: a stable word, never a message. */
  failure: string | null;
}

/** What processes tell each other (Records.announce). Rows are kept a day. */
export interface ChangesTable {
  seq: Generated<number>;
  topic: string;
  at: number;
}

/** One row: who these records are. */
export interface IdentityTable {
  only: 1;
  id: string;
  /** 1: a store of bytes bears the id; one that bears none is not the one. */
  store_marked: number;
}

/** The tables of the platform itself; the `Database` of the domains extends it. */
export interface PlatformTables {
  jobs: JobsTable;
  changes: ChangesTable;
  identity: IdentityTable;
}
