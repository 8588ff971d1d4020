/** Catalogue of the lake, queries, cohorts, ingestions and EHR systems. */
export const lakeTables = `
create table lakes (
  project_id text not null primary key,
  version bigint not null,
  compacted_version bigint not null default 0,
  compaction_job_id text,
  data_version bigint not null default 0
);
create index lakes_few_project_id
  on lakes (project_id) where version > compacted_version and compaction_job_id is null;

create table lake_tables (
  project_id text not null,
  table_name text not null,
  created_at bigint not null,
  constraint lake_tables_key primary key (project_id, table_name)
);

create table segments (
  id text not null primary key,
  project_id text not null,
  table_name text not null,
  source_file_id text not null,
  ingestion_id text not null,
  blob_key text not null,
  row_count bigint not null,
  size bigint not null,
  sha256 text not null,
  added_version bigint not null,
  removed_version bigint,
  removed_at bigint,
  ordinal bigint not null default 0,
  file_rows bigint,
  genome_build text,
  source text not null default ''
);
create index segments_blob on segments (blob_key);
create index segments_left
  on segments (project_id, table_name, removed_version) where removed_version is not null;
create index segments_project on segments (project_id, id);
create index segments_retired on segments (removed_at, id) where removed_at is not null;
create index segments_source on segments (source_file_id);
create index segments_visible
  on segments (project_id, table_name, blob_key, genome_build, file_rows, row_count, removed_version)
  where removed_version is null;

create table annotated_segments (
  id text not null primary key,
  project_id text not null,
  segment_key text not null,
  annotations text not null,
  blob_key text not null,
  row_count bigint not null,
  size bigint not null,
  sha256 text not null,
  retired_at bigint
);
create index annotated_segments_blob_key on annotated_segments (blob_key);
create index annotated_segments_few_retired_at
  on annotated_segments (retired_at) where retired_at is not null;
create index annotated_segments_project_id on annotated_segments (project_id);

create table queries (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  user_id text not null,
  query_text text not null,
  statement text not null,
  tables text not null,
  state text not null,
  requested_name text not null,
  output_file_name text not null,
  masked bigint not null,
  lake_version bigint not null,
  progress double precision not null,
  row_count bigint,
  result_file_id text,
  error text,
  job_id text not null,
  started_at bigint not null,
  ended_at bigint
);
create index queries_few_started_at on queries (started_at) where state = 'running';
create index queries_project on queries (project_id, id);
create index queries_state on queries (project_id, state, id);
create index queries_user on queries (project_id, user_id, id);

create table cohorts (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  name text not null,
  name_key text not null,
  description text not null,
  queries text not null,
  subject_ids text not null,
  creator_id text not null,
  created_at bigint not null,
  counted_at bigint not null default 0
);
create index cohorts_account on cohorts (account_id);
create index cohorts_project on cohorts (project_id, name_key, id);

create table cohort_parts (
  id text not null primary key,
  cohort_id text not null,
  project_id text not null,
  account_id text not null,
  data_version bigint not null,
  member_count bigint not null,
  counted_at bigint not null,
  error text,
  annotations text not null default '',
  holds_until bigint,
  constraint cohort_parts_project unique (cohort_id, project_id)
);
create index cohort_parts_account on cohort_parts (account_id);
create index cohort_parts_of on cohort_parts (project_id);

create table ingestions (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  file_id text not null,
  file_name text not null,
  type text,
  options text not null,
  state text not null,
  bytes_done bigint not null,
  bytes_total bigint not null,
  rows bigint not null,
  warning_count bigint not null,
  warnings text not null,
  error text,
  user_id text not null,
  job_id text not null,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  genome_build text,
  found text
);
create index ingestions_few_project_id
  on ingestions (project_id) where state in ('queued', 'running');
create index ingestions_file on ingestions (file_id);
create index ingestions_project on ingestions (project_id, id);

create table ehrs (
  id text not null primary key,
  account_id text not null,
  name text not null,
  ehr_type text not null,
  api_base_url text not null,
  api_key_sealed text,
  api_secret_sealed text,
  api_auth_type text not null,
  ingestion_model text not null,
  delay_between_records_ms double precision not null,
  schedule_cron text,
  schedule_project_id text,
  schedule_user_id text,
  schedule_at bigint,
  creator_id text not null,
  created_at bigint not null,
  updated_at bigint not null,
  public_key text,
  key_replaced_at bigint,
  id_prefix text not null default ''
);
create index ehrs_account on ehrs (account_id, id);
create index ehrs_due on ehrs (schedule_at);

create table ehr_syncs (
  id text not null primary key,
  ehr_id text not null,
  account_id text not null,
  project_id text not null,
  user_id text not null,
  started_by text not null,
  api_base_url text not null,
  state text not null,
  method text,
  since bigint,
  mark bigint,
  position text,
  requests bigint not null,
  pages bigint not null,
  bytes bigint not null,
  counts text not null,
  warning_count bigint not null,
  warnings text not null,
  error text,
  file_id text,
  ingestion_id text,
  job_id text not null,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint
);
create index ehr_syncs_ehr on ehr_syncs (ehr_id, id);
create index ehr_syncs_project on ehr_syncs (project_id);

create table ehr_sync_pages (
  sync_id text not null,
  project_id text not null,
  number integer not null,
  level integer not null,
  blob_key text not null unique,
  constraint ehr_sync_pages_key primary key (sync_id, number)
);
create index ehr_sync_pages_project on ehr_sync_pages (project_id);
`;
