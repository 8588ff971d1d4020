import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Read group sets and their read groups, reference sets and their references. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await readGroupSets(db);
  await readGroups(db);
  await referenceSets(db);
  await references(db);
}

async function readGroupSets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('readgroup_sets')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('file_id', orderedText(db), (c) => c.notNull().unique())
    .addColumn('owner_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('status', orderedText(db), (c) => c.notNull())
    .addColumn('message', orderedText(db))
    .addColumn('ingestion_id', orderedText(db), (c) => c.notNull())
    .addColumn('patient_id', orderedText(db))
    .addColumn('test_type', orderedText(db))
    .addColumn('sequence_type', orderedText(db))
    .addColumn('reference_set_id', orderedText(db))
    .addColumn('sequences_md5', orderedText(db))
    .addColumn('sequences_shape', orderedText(db))
    .addColumn('assembly_id', orderedText(db))
    .addColumn('bam_blob', orderedText(db))
    .addColumn('bam_size', 'bigint')
    .addColumn('bam_sha256', orderedText(db))
    .addColumn('index_blob', orderedText(db))
    .addColumn('index_size', 'bigint')
    .addColumn('index_sha256', orderedText(db))
    .addColumn('aligned_count', 'bigint', (c) => c.notNull())
    .addColumn('unaligned_count', 'bigint', (c) => c.notNull())
    .addColumn('base_count', 'bigint', (c) => c.notNull())
    .addColumn('programs', orderedText(db), (c) => c.notNull())
    .addColumn('attributes', orderedText(db), (c) => c.notNull())
    .addColumn('json_size', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'readgroup_sets', 'account', ['account_id', 'id']);
  await index(db, 'readgroup_sets', 'project', ['project_id', 'id']);
  await index(db, 'readgroup_sets', 'ingestion', ['ingestion_id']);
  await index(db, 'readgroup_sets', 'reference_set', ['reference_set_id']);
  await index(db, 'readgroup_sets', 'index_blob', ['index_blob']);
}

async function readGroups(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('read_groups')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('set_id', orderedText(db), (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('description', orderedText(db))
    .addColumn('sample_name', orderedText(db))
    .addColumn('biosample_id', orderedText(db))
    .addColumn('predicted_insert_size', 'bigint')
    .addColumn('experiment', orderedText(db), (c) => c.notNull())
    .addColumn('aligned_count', 'bigint', (c) => c.notNull())
    .addColumn('unaligned_count', 'bigint', (c) => c.notNull())
    .addColumn('base_count', 'bigint', (c) => c.notNull())
    .addColumn('attributes', orderedText(db), (c) => c.notNull())
    .execute();
  await index(db, 'read_groups', 'set', ['set_id', 'position']);
  await index(db, 'read_groups', 'biosample', ['biosample_id', 'set_id']);
}

async function referenceSets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('reference_sets')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('account_id', orderedText(db), (c) => c.notNull())
    .addColumn('project_id', orderedText(db), (c) => c.notNull())
    .addColumn('file_id', orderedText(db))
    .addColumn('owner_id', orderedText(db), (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('status', orderedText(db), (c) => c.notNull())
    .addColumn('ingestion_id', orderedText(db), (c) => c.notNull())
    .addColumn('md5checksum', orderedText(db), (c) => c.notNull())
    .addColumn('sequences_shape', orderedText(db), (c) => c.notNull())
    .addColumn('species', orderedText(db))
    .addColumn('description', orderedText(db))
    .addColumn('assembly_id', orderedText(db))
    .addColumn('source_uri', orderedText(db))
    .addColumn('source_accessions', orderedText(db), (c) => c.notNull())
    .addColumn('bases_blob', orderedText(db))
    .addColumn('bases_size', 'bigint')
    .addColumn('bases_sha256', orderedText(db))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'reference_sets', 'account', ['account_id', 'id']);
  await index(db, 'reference_sets', 'project', ['project_id', 'id']);
  await index(db, 'reference_sets', 'file', ['file_id']);
  await index(db, 'reference_sets', 'status', ['status']);
  await index(db, 'reference_sets', 'md5checksum', ['md5checksum']);
  await index(db, 'reference_sets', 'bases_blob', ['bases_blob']);
}

/** Not `references`, which is a word of SQL. */
async function references(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('genome_references')
    .addColumn('id', orderedText(db), (c) => c.primaryKey())
    .addColumn('set_id', orderedText(db), (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('name', orderedText(db), (c) => c.notNull())
    .addColumn('length', 'bigint', (c) => c.notNull())
    .addColumn('md5checksum', orderedText(db), (c) => c.notNull())
    .addColumn('source_uri', orderedText(db))
    .addColumn('accession', orderedText(db))
    .addColumn('species', orderedText(db))
    .addColumn('attributes', orderedText(db), (c) => c.notNull())
    .addColumn('bases_offset', 'bigint', (c) => c.notNull())
    .execute();
  await index(db, 'genome_references', 'set', ['set_id', 'position']);
  await index(db, 'genome_references', 'md5checksum', ['md5checksum']);
  await index(db, 'genome_references', 'accession', ['accession']);
}

async function index(db: Kysely<unknown>, table: string, name: string, columns: string[]): Promise<void> {
  await db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute();
}
