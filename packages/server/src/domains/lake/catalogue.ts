import { newId } from '../../ids.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { LakesTable, SegmentsTable } from '../../platform/records/schema-lake.ts';

/** Rows of one statement, which has a limited number of parameters. */
const batchRows = 500;

/** Rows of a table that came from one ingestion. */
export interface Segment {
  table: string;
  /** The ingestion that made it; what it made together belongs together. */
  ingestionId: string;
  /** Later ingestions have greater ones. */
  ordinal: number;
  blob: BlobInfo;
  rowCount: number;
  /** Rows of the whole file when it was made by a compaction and may hold those of others; `_ordinal` tells them apart. */
  fileRows: number | null;
  /** What its positions are on; null when that is not known, or it has none. All of a file are on the same. */
  genomeBuild: string | null;
}

export interface NewSegment {
  table: string;
  rowCount: number;
  blob: BlobInfo;
  /** As a segment has it. */
  genomeBuild: string | null;
}

/**
 * Locks the lake of a project and answers its next version. `derived`: what is made from the data changes, and not the data,
 * so that whoever made something from them need not make it again.
 */
async function nextVersion(tx: Transaction, project: string, derived = false): Promise<number> {
  await tx
    .insertInto('lakes')
    .values({ project_id: project, version: 0, data_version: 0, compaction_job_id: null })
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .execute();
  const row = await tx
    .updateTable('lakes')
    .set((set) => ({ version: set('version', '+', 1) }))
    .$if(!derived, (query) => query.set((set) => ({ data_version: set('version', '+', 1) })))
    .where('project_id', '=', project)
    .returning('version')
    .executeTakeFirstOrThrow();
  return row.version;
}

/**
 * Makes the segments of an ingestion visible and retires what the same file gave before, in one step: a query sees all
 * of the one or all of the other.
 */
export async function publishSegments(
  tx: Transaction,
  made: { project: string; fileId: string; ingestionId: string; segments: NewSegment[]; derived?: true },
): Promise<void> {
  const version = await nextVersion(tx, made.project, made.derived);
  await retire(tx, made.fileId, version);
  const rows = made.segments.map((segment) => ({
    id: newId(),
    project_id: made.project,
    table_name: segment.table,
    source_file_id: made.fileId,
    ingestion_id: made.ingestionId,
    blob_key: segment.blob.key,
    row_count: segment.rowCount,
    size: segment.blob.size,
    sha256: segment.blob.sha256,
    genome_build: segment.genomeBuild,
    ordinal: version,
    file_rows: null,
    added_version: version,
    removed_version: null,
    removed_at: null,
  }));
  if (rows.length === 0) return;
  await tx.insertInto('segments').values(rows).execute();
  const tables = made.segments.filter(({ table }) => !table.startsWith('_'));
  const created = tables.map(({ table }) => ({
    project_id: made.project,
    table_name: table,
    created_at: Date.now(),
  }));
  if (created.length === 0) return;
  await tx
    .insertInto('lake_tables')
    .values(created)
    .onConflict((conflict) => conflict.columns(['project_id', 'table_name']).doNothing())
    .execute();
}

/**
 * Retires everything that came from a file; whose lake that changed. Running queries keep the version that they began with.
 */
export async function retireSource(
  tx: Transaction,
  fileId: string,
  derived = false,
): Promise<string | undefined> {
  const visible = await tx
    .selectFrom('segments')
    .select('project_id')
    .where('source_file_id', '=', fileId)
    .where('removed_version', 'is', null)
    .executeTakeFirst();
  if (visible) await retire(tx, fileId, await nextVersion(tx, visible.project_id, derived));
  return visible?.project_id;
}

async function retire(tx: Transaction, fileId: string, version: number): Promise<void> {
  await tx
    .updateTable('segments')
    .set({ removed_version: version, removed_at: Date.now() })
    .where('source_file_id', '=', fileId)
    .where('removed_version', 'is', null)
    .execute();
}

/** A file with the rows of some segments that lay in several. */
export interface MergedFile {
  segments: SegmentsTable[];
  blob: BlobInfo;
  rowCount: number;
}

/**
 * Puts files in the place of those of some segments, in one step: the same rows, of the same ingestions. What was replaced, deleted
 * or moved while they were made stays so; its rows in them are never seen. Answers those that are of no use any more.
 */
export async function replaceSegments(
  tx: Transaction,
  project: string,
  merged: MergedFile[],
): Promise<MergedFile[]> {
  const version = await nextVersion(tx, project, true);
  const unused: MergedFile[] = [];
  for (const file of merged) {
    let kept = 0;
    for (let at = 0; at < file.segments.length; at += batchRows)
      kept += await replace(tx, file, file.segments.slice(at, at + batchRows), version);
    if (kept === 0) unused.push(file);
  }
  return unused;
}

/** Answers how many of the segments were still visible. */
async function replace(
  tx: Transaction,
  { blob, rowCount }: MergedFile,
  segments: SegmentsTable[],
  version: number,
): Promise<number> {
  const ids = segments.map(({ id }) => id);
  const replaced = await tx
    .updateTable('segments')
    .set({ removed_version: version, removed_at: Date.now() })
    .where('id', 'in', ids)
    .where('removed_version', 'is', null)
    .returningAll()
    .execute();
  const file = { blob_key: blob.key, size: blob.size, sha256: blob.sha256, file_rows: rowCount };
  const visible = { added_version: version, removed_version: null, removed_at: null };
  const rows = replaced.map((row) => ({ ...row, id: newId(), ...file, ...visible }));
  if (rows.length > 0) await tx.insertInto('segments').values(rows).execute();
  return rows.length;
}

/** The present versions of a project's lake, of all and of the data themselves; 0 before its first ingestion. */
export async function presentVersions(
  read: Reader | Transaction,
  project: string,
): Promise<Pick<LakesTable, 'version' | 'data_version'>> {
  const row = await read
    .selectFrom('lakes')
    .select(['version', 'data_version'])
    .where('project_id', '=', project)
    .executeTakeFirst();
  return row ?? { version: 0, data_version: 0 };
}

export async function currentVersion(read: Reader | Transaction, project: string): Promise<number> {
  return (await presentVersions(read, project)).version;
}

/** The present version with the tables that it has, and how many rows each: all of one moment. */
export async function presentTables(
  read: Reader,
  project: string,
): Promise<{ version: number; rowCounts: Map<string, number> }> {
  // By file and without a join: else SQLite takes an index that knows the retired rows too.
  const rows = await read
    .selectFrom('segments')
    .select(({ fn, selectFrom }) => [
      'table_name',
      fn.sum<number>('row_count').as('rows'),
      selectFrom('lakes').select('version').where('project_id', '=', project).as('version'),
    ])
    .where('project_id', '=', project)
    .where('removed_version', 'is', null)
    .groupBy(['table_name', 'blob_key'])
    .execute();
  const rowCounts = new Map<string, number>();
  for (const row of rows) rowCounts.set(row.table_name, (rowCounts.get(row.table_name) ?? 0) + row.rows);
  return {
    version: rows[0]?.version ?? (await currentVersion(read, project)),
    rowCounts,
  };
}

const segmentColumns = [
  ...(['id', 'table_name', 'ingestion_id', 'ordinal', 'blob_key', 'size', 'sha256'] as const),
  ...(['row_count', 'file_rows', 'genome_build'] as const),
];

/** The segments of some tables that a version of the lake consists of, oldest first. */
export async function segmentsAt(
  read: Reader,
  project: string,
  version: number,
  tables: readonly string[],
): Promise<Segment[]> {
  if (tables.length === 0) return [];
  const added = read
    .selectFrom('segments')
    .select(segmentColumns)
    .where('project_id', '=', project)
    .where('table_name', 'in', tables)
    .where('added_version', '<=', version);
  // In one statement, or what is retired between two would be there twice. Each half has an index of its own.
  const rows = await added
    .where('removed_version', 'is', null)
    .unionAll(added.where('removed_version', '>', version))
    .orderBy('ordinal')
    .orderBy('id')
    .execute();
  return rows.map(segmentOf);
}

/** What a row of the catalogue tells of a segment. */
export function segmentOf(row: Pick<SegmentsTable, (typeof segmentColumns)[number]>): Segment {
  return {
    table: row.table_name,
    ingestionId: row.ingestion_id,
    ordinal: row.ordinal,
    blob: { key: row.blob_key, size: row.size, sha256: row.sha256 },
    rowCount: row.row_count,
    fileRows: row.file_rows,
    genomeBuild: row.genome_build,
  };
}

/** When each table of a project first got data (epoch ms). */
export async function tableTimes(read: Reader, project: string): Promise<Map<string, number>> {
  const rows = await read
    .selectFrom('lake_tables')
    .select(['table_name', 'created_at'])
    .where('project_id', '=', project)
    .execute();
  return new Map(rows.map((row) => [row.table_name, row.created_at]));
}
