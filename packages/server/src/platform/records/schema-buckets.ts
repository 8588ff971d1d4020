/** Epoch milliseconds. */
type Time = number;

/** Bucket of S3 whose objects are files of a project, where they are (domains/files/buckets). */
export interface BucketsTable {
  id: string;
  account_id: string;
  project_id: string;
  /** User with whose rights objects become files. */
  creator_id: string;
  /** Address in the form of `PLOIDY_BLOBS`: `s3://bucket/prefix?endpoint=…`. */
  address: string;
  /** Begins the names of its files; '' or ends with a slash. */
  folder: string;
  /** 1 if its new files are ingested. */
  ingest: number;
  /** Null for a public bucket. */
  key_id: string | null;
  secret_sealed: string | null;
  state: 'looking' | 'ready' | 'failed' | 'removing';
  /** Reason of the last failure in a sentence. */
  failure: string | null;
  /** Files and their bytes at the end of the last look. */
  files: number;
  bytes: number;
  /** Objects that cannot become files: their name is taken, or is none. */
  skipped: number;
  /** Files whose object was gone. */
  missing: number;
  looked_at: Time | null;
  created_at: Time;
}

/** Note of the last complete backup: one row. */
interface LastBackupTable {
  id: string;
  made_at: Time;
  bytes: number;
}

/** The tables of buckets; the `Database` of the domains extends it. */
export interface BucketTables {
  buckets: BucketsTable;
  last_backup: LastBackupTable;
}
