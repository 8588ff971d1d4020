import type { Bounds } from '@ploidy/formats/tables';
import { newId } from '../../../base/ids.ts';
import type { BlobInfo } from '../../../platform/blobs/blobs.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import type { LakesTable, SegmentsTable } from '../../../platform/records/schema-lake.ts';
import { recordFiles } from './lake-files.ts';
import { noteRemovals } from './whole-files.ts';

/** Rows of one statement: its number of parameters is limited. */
const batchRows = 500;

export interface NewSegment {
  table: string;
  rowCount: number;
  blob: BlobInfo;
  genomeBuild: string | null;
  /** Source of the resources in `_resource`. */
  source?: string;
  /** Columns of a table that the project defines itself, as JSON. */
  ownColumns?: string | null;
  /** Absent: the file may hold anything. */
  bounds?: Bounds | undefined;
}

/**
 * Locks the lake of a project and returns its next version. `derived`: only derived rows change, so results
 * computed from the data stay valid.
 */
async function nextVersion(tx: Transaction, project: string, derived = false): Promise<number> {
  await tx
    .insertInto('lakes')
    .values({ project_id: project, version: 0, data_version: 0 })
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
 * Publishes the segments of an ingestion and retires those of the same file at once: a query sees all of one
 * set.
 */
export async function publishSegments(
  tx: Transaction,
  made: MadeSegments & { derived?: true },
): Promise<void> {
  const version = await nextVersion(tx, made.project, made.derived);
  await retire(tx, made.project, made.fileId, version);
  await insert(tx, { ...made, version, ordinal: version });
}

/** Segments of an ingestion with its project and file. */
interface MadeSegments {
  project: string;
  fileId: string;
  ingestionId: string;
  segments: NewSegment[];
}

/** Adds segments to those of an ingestion, in whose order they are. */
export async function addSegments(tx: Transaction, made: MadeSegments & { ordinal: number }): Promise<void> {
  await insert(tx, { ...made, version: await nextVersion(tx, made.project) });
}

async function insert(
  tx: Transaction,
  { version, ordinal, ...made }: MadeSegments & { version: number; ordinal: number },
): Promise<void> {
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
    source: segment.source ?? '',
    ordinal,
    file_rows: null,
    added_version: version,
    removed_version: null,
    removed_at: null,
    own_columns: segment.ownColumns ?? null,
    bounds: segment.bounds ? JSON.stringify(segment.bounds) : null,
  }));
  if (rows.length === 0) return;
  await tx.insertInto('segments').values(rows).execute();
  const keys = rows.map((row) => row.blob_key);
  await recordFiles(tx, { project: made.project, version, keys });
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
 * Retires all segments of a file and returns the project whose lake changed. Running queries keep the version
 * they began with.
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
  if (visible)
    await retire(tx, visible.project_id, fileId, await nextVersion(tx, visible.project_id, derived));
  return visible?.project_id;
}

async function retire(tx: Transaction, project: string, fileId: string, version: number): Promise<void> {
  const retired = await tx
    .updateTable('segments')
    .set({ removed_version: version, removed_at: Date.now() })
    .where('source_file_id', '=', fileId)
    .where('removed_version', 'is', null)
    .returning(['blob_key as key', 'table_name'])
    .execute();
  const keys = retired.map(({ key }) => key);
  await recordFiles(tx, { project, version, keys });
  await noteRemovals(tx, { project, version, tables: retired.map(({ table_name }) => table_name) });
}

/** File that holds the rows of several segments, merged from other files. */
export interface MergedFile {
  segments: SegmentsTable[];
  blob: BlobInfo;
  rowCount: number;
  bounds?: Bounds | undefined;
}

/**
 * Replaces the files of some segments by merged ones with the same rows. Segments replaced, deleted or moved
 * meanwhile stay so; their rows in the merged files are never read. Returns the files no longer needed.
 */
export async function replaceSegments(
  tx: Transaction,
  project: string,
  merged: MergedFile[],
): Promise<MergedFile[]> {
  const version = await nextVersion(tx, project, true);
  const unused: MergedFile[] = [];
  const keys = merged.flatMap((file) => [...file.segments.map((segment) => segment.blob_key), file.blob.key]);
  for (const file of merged) {
    let kept = 0;
    for (let at = 0; at < file.segments.length; at += batchRows)
      kept += await replace(tx, file, file.segments.slice(at, at + batchRows), version);
    if (kept === 0) unused.push(file);
  }
  await recordFiles(tx, { project, version, keys });
  return unused;
}

/** Returns how many of the segments were still visible. */
async function replace(
  tx: Transaction,
  { blob, rowCount, bounds }: MergedFile,
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
  const file = {
    ...{ blob_key: blob.key, size: blob.size, sha256: blob.sha256, file_rows: rowCount },
    bounds: bounds ? JSON.stringify(bounds) : null,
  };
  const visible = { added_version: version, removed_version: null, removed_at: null };
  const rows = replaced.map((row) => ({ ...row, id: newId(), ...file, ...visible }));
  if (rows.length > 0) await tx.insertInto('segments').values(rows).execute();
  return rows.length;
}

/** Returns the current versions of a project's lake and of its data; 0 before the first ingestion. */
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

/** Returns the current version with its tables and their row counts, all of one moment. */
export async function presentTables(
  read: Reader,
  project: string,
): Promise<{ version: number; rowCounts: Map<string, number> }> {
  // Without a join: else SQLite chooses an index that includes retired rows.
  const rows = await read
    .selectFrom('lake_files')
    .select(({ fn, selectFrom }) => [
      'table_name',
      fn.sum<number>('row_count').as('rows'),
      selectFrom('lakes').select('version').where('project_id', '=', project).as('version'),
    ])
    .where('project_id', '=', project)
    .where('removed_version', 'is', null)
    .groupBy('table_name')
    .execute();
  return {
    version: rows[0]?.version ?? (await currentVersion(read, project)),
    rowCounts: new Map(rows.map((row) => [row.table_name, row.rows])),
  };
}

/** Returns when each table of a project first got data (epoch ms). */
export async function tableTimes(read: Reader, project: string): Promise<Map<string, number>> {
  const rows = await read
    .selectFrom('lake_tables')
    .select(['table_name', 'created_at'])
    .where('project_id', '=', project)
    .execute();
  return new Map(rows.map((row) => [row.table_name, row.created_at]));
}
