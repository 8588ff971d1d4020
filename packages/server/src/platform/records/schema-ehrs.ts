/** Epoch milliseconds. */
type Time = number;
/** JSON text. */
type Json = string;

/** An EHR system that an account pulls from (domains/ehrs). */
export interface EhrsTable {
  id: string;
  account_id: string;
  name: string;
  ehr_type: string;
  api_base_url: string;
  api_key_sealed: string | null;
  api_secret_sealed: string | null;
  api_auth_type: 'header' | 'basic' | 'oauth2' | 'private_key_jwt';
  /** Public key of `private_key_jwt`, in the form of a JWKS. */
  public_key: Json | null;
  /** When the one before it ended; also of what has another way of signing in now. */
  key_replaced_at: Time | null;
  ingestion_model: 'ASYNCHRONOUS' | 'SYNCHRONOUS';
  /** May have a fraction. */
  delay_between_records_ms: number;
  /** Put before the ids of its resources. */
  id_prefix: string;
  /** Five fields, UTC; null: no schedule, and so are the next three. */
  schedule_cron: string | null;
  schedule_project_id: string | null;
  /** User that set the schedule: its syncs run with the rights of this user. */
  schedule_user_id: string | null;
  /** When it is due next. */
  schedule_at: Time | null;
  creator_id: string;
  created_at: Time;
  updated_at: Time;
}

/** One pull from an EHR system into a project. */
export interface EhrSyncsTable {
  id: string;
  ehr_id: string;
  account_id: string;
  project_id: string;
  user_id: string;
  started_by: 'REQUEST' | 'SCHEDULE';
  /** Configuration at that time: another system has other resources. */
  api_base_url: string;
  /** `ingesting`: all is pulled; how it ends is how its ingestion ends. */
  state: 'queued' | 'running' | 'ingesting' | 'succeeded' | 'failed' | 'cancelled';
  /** Null until the system was asked what it can do. */
  method: 'SEARCH' | 'EXPORT' | null;
  /** Only what changed after it is asked for; null: everything. */
  since: Time | null;
  /** Start of the last pull, by the clock of the system: the next one continues there. */
  mark: Time | null;
  /** Remaining requests: a new run continues where the last one was killed. Null at the beginning and the end. */
  position: Json | null;
  requests: number;
  pages: number;
  bytes: number;
  /** Resources by type. */
  counts: Json;
  warning_count: number;
  warnings: Json;
  error: Json | null;
  file_id: string | null;
  ingestion_id: string | null;
  job_id: string;
  created_at: Time;
  started_at: Time | null;
  ended_at: Time | null;
}

/** Resources that a sync has fetched, NDJSON in gzip. When many have come together they are joined to one of the next level. */
export interface EhrSyncPagesTable {
  sync_id: string;
  project_id: string;
  number: number;
  level: number;
  blob_key: string;
}

/** The tables of EHR systems; the `Database` of the domains extends it. */
export interface EhrTables {
  ehrs: EhrsTable;
  ehr_syncs: EhrSyncsTable;
  ehr_sync_pages: EhrSyncPagesTable;
}
