import type { Generated } from 'kysely';

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

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
  /** Number of runs whose process ended, which are no attempts. */
  lost: Generated<number>;
  /** Resource that it competes for with other kinds (jobs/admission.ts). */
  class: Generated<string>;
  /** Owner of the work: levels of the fair order; '' without an owner. */
  account_id: Generated<string>;
  project_id: Generated<string>;
  user_id: Generated<string>;
  /** Jobs of one key run one at a time; '' for none. */
  exclusive_key: Generated<string>;
  /** 1 if it is known to take long, from the start or since it was set aside. */
  is_long: Generated<number>;
  /** Number of runs that gave their place to others. */
  set_aside: Generated<number>;
  /** Start of the present wait, and of the present run. */
  waiting_since: Generated<number>;
  claimed_at: number | null;
  not_before: number;
  created_at: number;
  /** The process that runs it. */
  owner: string | null;
  /** Random token, new for each run: only its holder may record a result. */
  lease: string | null;
  lease_until: number | null;
  ended_at: number | null;
  /** The code of what went wrong last: a stable word, never a message. */
  failure: string | null;
}

/** Run time that an account, a project or a user has used of late (platform/jobs/shares.ts). */
interface JobSharesTable {
  class: string;
  /** `account:`, `project:` or `user:`, and the id. */
  name: string;
  /** Milliseconds, halved with each epoch. */
  used: number;
  epoch: number;
}

/** Messages between processes (Records.announce). Rows are kept for a day. */
interface ChangesTable {
  seq: Generated<number>;
  topic: string;
  at: number;
}

/** One row: the identity of these records. */
interface IdentityTable {
  only: 1;
  id: string;
}

/** Work on the store of bytes that is not done yet (platform/blobs/intents.ts). */
export interface BlobIntentsTable {
  /** The blob's key; of `arrive` the place where clients put bytes; of `read` a random one. */
  key: string;
  /**
   * `write`: bytes that no row names yet. `remove`: bytes that no row names any more. `arrive`: bytes that a client may put
   * into the store. `read`: a backup, while which nothing is removed.
   */
  kind: 'write' | 'remove' | 'arrive' | 'read';
  /** When the sweep may act on it. */
  expires_at: number;
  /** The upload in parts that writes the object, on S3. */
  upload_id: string | null;
}

/** The tables of the platform itself; the `Database` of the domains extends it. */
/** Leases of periodic work, which one process at a time does. */
interface DutiesTable {
  name: string;
  owner: string;
  /** Epoch milliseconds by the clock of the database. */
  held_until: number;
}

export interface PlatformTables {
  duties: DutiesTable;
  jobs: JobsTable;
  job_shares: JobSharesTable;
  changes: ChangesTable;
  identity: IdentityTable;
  blob_intents: BlobIntentsTable;
}
