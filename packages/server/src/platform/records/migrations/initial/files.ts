/** Projects, files, uploads, and what genomics keeps of them. */
export const filesTables = `
create table projects (
  id text not null primary key,
  account_id text not null,
  name text not null,
  name_key text not null,
  description text not null,
  deletion_at bigint,
  created_at bigint not null
);
create index projects_deletion on projects (deletion_at) where deletion_at is not null;
create unique index projects_name on projects (account_id, name_key);

create table files (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  name text not null,
  name_key text not null,
  content_type text not null,
  blob_key text not null,
  size bigint not null,
  sha256 text not null,
  origin text not null,
  owner_id text not null,
  created_at bigint not null,
  modified_at bigint not null
);
create index files_account on files (account_id, name_key, id);
create index files_account_size on files (account_id, size, id);
create index files_blob on files (blob_key);
create unique index files_name on files (project_id, name);
create index files_name_key on files (project_id, name_key, id);
create index files_owner on files (owner_id, name_key, id);
create index files_owner_size on files (owner_id, size, id);
create index files_size on files (project_id, size, id);

create table uploads (
  id text not null primary key,
  file_id text not null,
  account_id text not null,
  project_id text not null,
  name text not null,
  content_type text not null,
  overwrite bigint not null,
  content_md5 text,
  size bigint,
  ingest bigint not null,
  owner_id text not null,
  created_at bigint not null,
  expires_at bigint not null,
  parts_size bigint,
  completed_at bigint,
  arrived_tag text,
  replaces integer not null default 1,
  made_blob text
);
create index uploads_account on uploads (account_id, project_id, expires_at);
create index uploads_expiry on uploads (expires_at);
create index uploads_file on uploads (file_id);
create index uploads_project on uploads (project_id);

create table upload_parts (
  upload_id text not null,
  project_id text not null,
  number bigint not null,
  blob_key text not null,
  size bigint not null,
  created_at bigint not null,
  constraint upload_parts_key primary key (upload_id, number)
);
create index upload_parts_blob on upload_parts (blob_key);
create index upload_parts_project on upload_parts (project_id);

create table readgroup_sets (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  file_id text not null unique,
  owner_id text not null,
  name text not null,
  status text not null,
  message text,
  ingestion_id text not null,
  patient_id text,
  test_type text,
  sequence_type text,
  reference_set_id text,
  sequences_md5 text,
  sequences_shape text,
  assembly_id text,
  bam_blob text,
  bam_size bigint,
  bam_sha256 text,
  index_blob text,
  index_size bigint,
  index_sha256 text,
  aligned_count bigint not null,
  unaligned_count bigint not null,
  base_count bigint not null,
  programs text not null,
  attributes text not null,
  json_size bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index readgroup_sets_account on readgroup_sets (account_id, id);
create index readgroup_sets_index_blob on readgroup_sets (index_blob);
create index readgroup_sets_ingestion on readgroup_sets (ingestion_id);
create index readgroup_sets_project on readgroup_sets (project_id, id);
create index readgroup_sets_reference_set on readgroup_sets (reference_set_id);

create table read_groups (
  id text not null primary key,
  set_id text not null,
  position bigint not null,
  name text not null,
  description text,
  sample_name text,
  biosample_id text,
  predicted_insert_size bigint,
  experiment text not null,
  aligned_count bigint not null,
  unaligned_count bigint not null,
  base_count bigint not null,
  attributes text not null
);
create index read_groups_biosample on read_groups (biosample_id, set_id);
create index read_groups_set on read_groups (set_id, position);

create table reference_sets (
  id text not null primary key,
  account_id text not null,
  project_id text not null,
  file_id text,
  owner_id text not null,
  name text not null,
  status text not null,
  ingestion_id text not null,
  md5checksum text not null,
  sequences_shape text not null,
  species text,
  description text,
  assembly_id text,
  source_uri text,
  source_accessions text not null,
  bases_blob text,
  bases_size bigint,
  bases_sha256 text,
  created_at bigint not null,
  updated_at bigint not null
);
create index reference_sets_account on reference_sets (account_id, id);
create index reference_sets_bases_blob on reference_sets (bases_blob);
create index reference_sets_file on reference_sets (file_id);
create index reference_sets_md5checksum on reference_sets (md5checksum);
create index reference_sets_project on reference_sets (project_id, id);
create index reference_sets_status on reference_sets (status);

create table genome_references (
  id text not null primary key,
  set_id text not null,
  position bigint not null,
  name text not null,
  length bigint not null,
  md5checksum text not null,
  source_uri text,
  accession text,
  species text,
  attributes text not null,
  bases_offset bigint not null
);
create index genome_references_accession on genome_references (accession, set_id, position);
create index genome_references_md5checksum on genome_references (md5checksum, set_id, position);
create index genome_references_set on genome_references (set_id, position);

create table variant_indexes (
  file_id text not null primary key,
  project_id text not null,
  source_blob text not null,
  status text not null,
  message text,
  job_id text not null,
  index_blob text,
  index_size bigint,
  index_sha256 text,
  created_at bigint not null
);
create index variant_indexes_index_blob on variant_indexes (index_blob);
create index variant_indexes_project_id on variant_indexes (project_id);
`;
