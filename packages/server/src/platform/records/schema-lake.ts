import type { Generated } from 'kysely';

/** Epoch milliseconds. */
type Time = number;
/** 0 or 1. */
type Flag = number;
/** JSON text. */
type Json = string;

/**
 * The catalogue of Parquet files: the rows of one table that one ingestion gave. A segment is visible from `added_version` on,
 * until `removed_version`. After a compaction several segments name one blob.
 */
export interface SegmentsTable {
  id: string;
  project_id: string;
  table_name: string;
  /** The file whose ingestion made it. */
  source_file_id: string;
  ingestion_id: string;
  blob_key: string;
  /** Rows of this segment; those of the whole file are in `file_rows`. */
  row_count: number;
  size: number;
  sha256: string;
  /** What its positions are on (`GRCh38` …); null when that is not known, or it has none. */
  genome_build: string | null;
  /** Later ingestions have greater ones. It stays the same when rows are compacted, and is the column `_ordinal` then. */
  ordinal: number;
  /** Rows of the whole file, when it was made by a compaction; else all its rows are this segment's. */
  file_rows: number | null;
  added_version: number;
  removed_version: number | null;
  /** When it was retired; its blob is removed later, when no running query can have pinned it. */
  removed_at: Time | null;
}

/** A part of a segment of `variant` whose columns were filled from annotations. The segment stays what is true; this is read instead, being faster. */
export interface AnnotatedSegmentsTable {
  id: string;
  project_id: string;
  /** Blob key of the segment. */
  segment_key: string;
  /** Which annotations, in which order: `signatureOf`. */
  annotations: string;
  blob_key: string;
  row_count: number;
  size: number;
  sha256: string;
  /** When it was no longer wanted; its blob is removed later. */
  retired_at: Time | null;
}

export interface LakesTable {
  project_id: string;
  version: number;
  /** The last version that changed the data themselves, and not what is made from them. */
  data_version: number;
  /** The version at which there was nothing left to compact. */
  compacted_version: Generated<number>;
  /** The job that compacts now. */
  compaction_job_id: string | null;
}

export interface LakeTablesTable {
  project_id: string;
  table_name: string;
  /** When the table first got data. */
  created_at: Time;
}

export interface QueriesTable {
  id: string;
  account_id: string;
  project_id: string;
  user_id: string;
  query_text: string;
  /** The canonical text that passed the guard. */
  statement: string;
  /** JSON array of the tables that it reads. */
  tables: Json;
  state: 'running' | 'succeeded' | 'cancelled' | 'failed';
  requested_name: string;
  output_file_name: string;
  masked: Flag;
  /** The version of the lake that it reads. */
  lake_version: number;
  progress: number;
  row_count: number | null;
  result_file_id: string | null;
  error: Json | null;
  job_id: string;
  started_at: Time;
  ended_at: Time | null;
}

/** The catalogue of the lake and its queries; the `Database` of the domains extends it. */
export interface LakeCatalogueTables {
  segments: SegmentsTable;
  annotated_segments: AnnotatedSegmentsTable;
  lakes: LakesTable;
  lake_tables: LakeTablesTable;
  queries: QueriesTable;
}
