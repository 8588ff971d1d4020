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
  /** Genome build of its positions (`GRCh38` …); null if unknown or without positions. */
  genome_build: string | null;
  /** Server or system within which ids of `_resource` are unique; empty for the project's own and for other tables. */
  source: string;
  /** Later ingestions have greater ones. It stays the same when rows are compacted, and is the column `_ordinal` then. */
  ordinal: number;
  /** Rows of the whole file, when it was made by a compaction; else all its rows are this segment's. */
  file_rows: number | null;
  added_version: number;
  removed_version: number | null;
  /** When it was retired; its blob is removed later, when no running query can have pinned it. */
  removed_at: Time | null;
  /** Columns of a table that the project defines itself; null for the tables of every project. */
  own_columns: Json | null;
  /** `Bounds` of the whole file; null: it may hold anything. */
  bounds: Json | null;
}

/**
 * State of a Parquet file between two versions of the lake, derived from its segments. Queries read one row
 * per file, however many ingestions it holds.
 */
export interface LakeFilesTable {
  id: string;
  project_id: string;
  table_name: string;
  /** Key of the blob. Its segments own it. */
  key: string;
  size: number;
  sha256: string;
  genome_build: string | null;
  source: string;
  /** Ingestion of the oldest segment. */
  ingestion_id: string;
  /** Smallest ordinal of its segments. */
  ordinal: number;
  /** Number of visible segments. */
  segments: number;
  /** Visible rows. */
  row_count: number;
  /** Rows of a merged file; null if all rows are of one ingestion. */
  file_rows: number | null;
  /** JSON array of the visible ordinals if the file also holds invisible rows. */
  ordinals: Json | null;
  /** Columns of a table of the project's own. */
  own_columns: Json | null;
  /** `Bounds` of its rows; null: it may hold anything. */
  bounds: Json | null;
  /** Chromosome of all of its rows; null: of several, or unknown. */
  chromosome: string | null;
  added_version: number;
  removed_version: number | null;
  removed_at: Time | null;
}

/** A part of a segment of `variant` whose columns were filled from annotations. The segment stays what is true; this is read instead, being faster. */
interface AnnotatedSegmentsTable {
  id: string;
  project_id: string;
  /** Blob key of the segment. */
  segment_key: string;
  /** Signature of the annotations in their order (`signatureOf`). */
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
  /** When a user paused the filling of variants with annotations; null: it goes on. */
  filling_paused_at: Generated<number | null>;
  /** Ingestion of the last release of the service's annotations that the project has an event of. */
  announced_release: Generated<string | null>;
}

/** Merging of the files of a table in a project. */
interface LakeMergesTable {
  project_id: string;
  table_name: string;
  /** The job that merges now. */
  job_id: string | null;
  /** Version of the data whose files could not be merged; it is tried again when they change. */
  given_up_version: number | null;
}

interface LakeTablesTable {
  project_id: string;
  table_name: string;
  /** When the table first got data. */
  created_at: Time;
  /** Last version of the lake that removed rows of the table; 0: none did. */
  removed_version: Generated<number>;
}

/** Copy of a table as one file, for readers of whole files. One exists for the same files behind a table. */
export interface LakeCopiesTable {
  id: string;
  account_id: string;
  project_id: string;
  table_name: string;
  /** Digest of the states of the files that it reads. */
  digest: string;
  /** JSON array of the tables that these files belong to. */
  read_tables: Json;
  /** Digest of the rows and masks of its readers; empty for all rows as they are. */
  audience: string;
  /** Newest version of the lake whose rows it holds. */
  lake_version: number;
  /** User who opened the table first. */
  user_id: string;
  job_id: string;
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** JSON object of status, code and message. */
  error: Json | null;
  row_count: number | null;
  /** Parquet file of it; null unless `succeeded`. */
  blob_key: string | null;
  size: number | null;
  sha256: string | null;
  started_at: Time;
  ended_at: Time | null;
  /** Last opening of the table, to an hour. */
  opened_at: Time;
  /** When a successor replaced it; its file stays for those who still read it. */
  retired_at: Time | null;
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
  /** `TableConditions` of the statement; null: all rows of its tables matter. */
  conditions: Json | null;
  state: 'running' | 'succeeded' | 'cancelled' | 'failed';
  requested_name: string;
  output_file_name: string;
  masked: Flag;
  /** Text of `RowRights.madeWith`: rows and masks of its run; null for those from before version 0014 of the records. */
  made_with: string | null;
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

/** Statement or report that a user keeps under a name. */
export interface SavedQueriesTable {
  id: string;
  kind: 'query' | 'report';
  account_id: string;
  project_id: string;
  name: string;
  name_key: string;
  description: string;
  /** Statement; JSON array of the parts of a report. */
  statement: string;
  /** Set if readers of the project's tables may read it. */
  shared: Flag;
  owner_id: string;
  created_at: Time;
  modified_at: Time;
  schedule_cron: string | null;
  schedule_at: Time | null;
  schedule_format: string | null;
  schedule_query_id: string | null;
  /** Code of the error of a run that did not begin; `FORBIDDEN`: the schedule has ended. */
  schedule_error: string | null;
}

/** Lake with files that are older than the tables derived from them. The row goes when all are derived. */
interface LakeDerivationsTable {
  project_id: string;
  /** Ordinal of the last ingestion that may lack derived rows. */
  ordinal_max: number;
  /** Ordinal of the last ingestion that has them. */
  ordinal_done: number;
}

/** Export of a project: the queries whose results are its files. */
export interface ExportsTable {
  id: string;
  account_id: string;
  project_id: string;
  user_id: string;
  /** Address of the request that started it. */
  request: string;
  /** JSON array of `ExportPart`. */
  parts: Json;
  started_at: Time;
}

/** Statement of the Trino client protocol. Its rows are there for minutes only. */
export interface TrinoStatementsTable {
  id: string;
  user_id: string;
  /** Null for a statement that reads no project. */
  account_id: string | null;
  project_id: string | null;
  /** The text that was checked: parameters and qualified names are replaced. */
  query_text: string;
  /** The canonical text that passed the guard. */
  statement: string;
  /** JSON array of the tables that it reads. */
  tables: Json;
  /** Values like those of `QueriesTable`. */
  conditions: Json | null;
  masked: Flag;
  /** Value like that of `QueriesTable`; digest of the caller's rights for a statement that reads no project. */
  made_with: string | null;
  lake_version: number;
  state: 'running' | 'succeeded' | 'cancelled' | 'failed';
  progress: number;
  /** Columns, and the lines of an answer without a blob. */
  answer: Json | null;
  error: Json | null;
  row_count: number | null;
  /** Lines of JSON. */
  blob_key: string | null;
  size: number | null;
  sha256: string | null;
  job_id: string | null;
  created_at: Time;
  started_at: Time | null;
  ended_at: Time | null;
  /** When its client last asked. */
  asked_at: Time;
  /** When it must have ended. */
  deadline_at: Time | null;
}

/** The catalogue of the lake and its queries; the `Database` of the domains extends it. */
export interface LakeCatalogueTables {
  segments: SegmentsTable;
  lake_files: LakeFilesTable;
  annotated_segments: AnnotatedSegmentsTable;
  lakes: LakesTable;
  lake_merges: LakeMergesTable;
  lake_tables: LakeTablesTable;
  lake_copies: LakeCopiesTable;
  queries: QueriesTable;
  saved_queries: SavedQueriesTable;
  lake_derivations: LakeDerivationsTable;
  exports: ExportsTable;
  trino_statements: TrinoStatementsTable;
}
