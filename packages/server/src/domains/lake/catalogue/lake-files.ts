import type { Bounds } from '@ploidy/formats/tables';
import { newId } from '../../../base/ids.ts';
import type { BlobInfo } from '../../../platform/blobs/blobs.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import type { LakeFilesTable, SegmentsTable } from '../../../platform/records/schema-lake.ts';
import type { MergeInput } from './merge-plan.ts';

/** Rows of one statement: its number of parameters is limited. */
const batchRows = 500;

/** Parquet file with the rows of a table that are visible in a version of the lake. */
export interface LakeFile {
  table: string;
  /** Ingestion of its rows; of a merged file, the oldest. */
  ingestionId: string;
  /** Number of that ingestion; later ingestions have greater ones. */
  ordinal: number;
  /** Number of ingestions with visible rows. */
  segments: number;
  blob: BlobInfo;
  /** Visible rows. */
  rowCount: number;
  /** Rows of a merged file, distinguished by `_ordinal`; null if all rows are of one ingestion. */
  fileRows: number | null;
  /** Ordinals of the visible rows if the file also holds invisible ones; null: all rows are visible. */
  ordinals: number[] | null;
  /**
   * Genome build of the positions; null if unknown or without positions. All rows of a file have the same.
   */
  genomeBuild: string | null;
  /** Epoch milliseconds of this state of the file. */
  recordedAt: number;
  /** Source of the resources in `_resource`. All rows of a file have the same. */
  source: string;
  /** Columns of a table of the project's own, as JSON; null for the tables of the service. */
  ownColumns: string | null;
  /** `Bounds` of its rows as JSON, if asked for. Without them it may hold anything. */
  bounds?: string;
}

/** Files whose segments changed in a version of the lake. */
interface ChangedFiles {
  project: string;
  version: number;
  keys: readonly string[];
}

/** Records the state of files after a change of their segments, in its transaction. */
export async function recordFiles(tx: Transaction, { project, version, keys }: ChangedFiles): Promise<void> {
  const distinct = [...new Set(keys)];
  for (let at = 0; at < distinct.length; at += batchRows) {
    const batch = distinct.slice(at, at + batchRows);
    await removeStates(tx, project, version, batch);
    const visible = await tx
      .selectFrom('segments')
      .selectAll()
      .where('blob_key', 'in', batch)
      .where('removed_version', 'is', null)
      .orderBy('ordinal')
      .execute();
    const own = visible.filter(({ project_id }) => project_id === project);
    const states = [...Map.groupBy(own, (row) => row.blob_key).values()].map((rows) =>
      stateOf(rows, version),
    );
    if (states.length > 0) await tx.insertInto('lake_files').values(states).execute();
  }
}

/** Removes the present states of files. They are looked up by key: with the project, SQLite reads all of its files. */
async function removeStates(
  tx: Transaction,
  project: string,
  version: number,
  keys: readonly string[],
): Promise<void> {
  const present = await tx
    .selectFrom('lake_files')
    .select(['id', 'project_id'])
    .where('key', 'in', keys)
    .where('removed_version', 'is', null)
    .execute();
  const ids = present.filter(({ project_id }) => project_id === project).map(({ id }) => id);
  if (ids.length === 0) return;
  await tx
    .updateTable('lake_files')
    .set({ removed_version: version, removed_at: Date.now() })
    .where('id', 'in', ids)
    .execute();
}

/** `rows`: the visible segments of a file, oldest first. */
function stateOf(rows: SegmentsTable[], version: number): LakeFilesTable {
  const [first] = rows;
  if (!first) throw new Error('A file without segments has no state.');
  const rowCount = rows.reduce((sum, row) => sum + row.row_count, 0);
  // A process of an earlier version copies the bounds of the files that it merges; these agree if the file has them.
  const bounds = rows.every((row) => row.bounds === first.bounds) ? first.bounds : null;
  const isPartial = first.file_rows !== null && rowCount < first.file_rows;
  return {
    id: newId(),
    project_id: first.project_id,
    table_name: first.table_name,
    key: first.blob_key,
    size: first.size,
    sha256: first.sha256,
    genome_build: first.genome_build,
    source: first.source,
    ingestion_id: first.ingestion_id,
    ordinal: first.ordinal,
    segments: rows.length,
    row_count: rowCount,
    file_rows: first.file_rows,
    ordinals: isPartial ? JSON.stringify(rows.map(({ ordinal }) => ordinal)) : null,
    own_columns: first.own_columns,
    bounds,
    chromosome: onlyChromosome(bounds),
    added_version: version,
    removed_version: null,
    removed_at: null,
  };
}

/** Returns the chromosome of all rows of a file with these bounds; null if there are several or none. */
function onlyChromosome(bounds: string | null): string | null {
  const bound = bounds === null ? undefined : (JSON.parse(bounds) as Bounds)['chromosome'];
  const [only = null, ...more] = bound && 'among' in bound ? bound.among : [];
  return more.length === 0 ? only : null;
}

const fileColumns = [
  ...(['id', 'table_name', 'ingestion_id', 'ordinal', 'segments', 'key', 'size', 'sha256'] as const),
  ...(['row_count', 'file_rows', 'ordinals', 'genome_build', 'source', 'own_columns'] as const),
];

type FileRow = Pick<LakeFilesTable, (typeof fileColumns)[number]> & { bounds?: string | null };

/** Lists the files of some tables in a version of the lake, oldest first. `withBounds`: they are larger than all the rest. */
export async function filesAt(
  read: Reader,
  project: string,
  version: number,
  tables: readonly string[],
  withBounds = false,
): Promise<LakeFile[]> {
  if (tables.length === 0) return [];
  const added = read
    .selectFrom('lake_files')
    .select(fileColumns)
    .$if(withBounds, (query) => query.select('bounds'))
    .where('project_id', '=', project)
    .where('table_name', 'in', tables)
    .where('added_version', '<=', version);
  // One statement, else a file retired between two would appear twice. Each half uses its own index.
  const rows = await added
    .where('removed_version', 'is', null)
    .unionAll(added.where('removed_version', '>', version))
    .orderBy('ordinal')
    .orderBy('id')
    .execute();
  return rows.map(fileOf);
}

/** Lists the present files of tables with their bounds, oldest first. `after`: only those that a later version of the lake added. */
export async function presentFiles(
  read: Reader | Transaction,
  project: string,
  tables: string | readonly string[],
  after = -1,
): Promise<LakeFile[]> {
  const rows = await read
    .selectFrom('lake_files')
    .select([...fileColumns, 'bounds'])
    .where('project_id', '=', project)
    .where('table_name', 'in', [tables].flat())
    .where('removed_version', 'is', null)
    .$if(after >= 0, (query) => query.where('added_version', '>', after))
    .orderBy('ordinal')
    .orderBy('id')
    .execute();
  return rows.map(fileOf);
}

function fileOf(row: FileRow): LakeFile {
  return {
    table: row.table_name,
    ingestionId: row.ingestion_id,
    ordinal: row.ordinal,
    segments: row.segments,
    blob: { key: row.key, size: row.size, sha256: row.sha256 },
    rowCount: row.row_count,
    fileRows: row.file_rows,
    ordinals: row.ordinals === null ? null : (JSON.parse(row.ordinals) as number[]),
    genomeBuild: row.genome_build,
    recordedAt: timeOf(row.id),
    source: row.source,
    ownColumns: row.own_columns,
    ...(row.bounds && { bounds: row.bounds }),
  };
}

/** Returns the time of a UUID of version 7 (RFC 9562 §5.7), in epoch milliseconds. */
const timeOf = (id: string): number => Number.parseInt(id.slice(0, 13).replace('-', ''), 16);

/** Lists the present files of a project, or of a table in it, for the planning of merges. */
export async function mergeInputs(read: Reader, project: string, table?: string): Promise<MergeInput[]> {
  const rows = await read
    .selectFrom('lake_files')
    .select(['table_name', 'key', 'genome_build', 'chromosome', 'source'])
    .select(['segments', 'row_count', 'file_rows'])
    .where('project_id', '=', project)
    .$if(table !== undefined, (query) => query.where('table_name', '=', table ?? ''))
    .where('removed_version', 'is', null)
    .execute();
  return rows.map((row) => ({
    table: row.table_name,
    key: row.key,
    genomeBuild: row.genome_build,
    chromosome: row.chromosome,
    source: row.source,
    segments: row.segments,
    rows: row.row_count,
    staleRows: row.file_rows === null ? 0 : row.file_rows - row.row_count,
  }));
}

/** Lists the currently visible segments of some files, oldest first. */
export async function visibleSegmentsOf(
  read: Reader,
  project: string,
  files: readonly MergeInput[],
): Promise<SegmentsTable[]> {
  return read
    .selectFrom('segments')
    .selectAll()
    .where('project_id', '=', project)
    .where('table_name', 'in', [...new Set(files.map(({ table }) => table))])
    .where(
      'blob_key',
      'in',
      files.map(({ key }) => key),
    )
    .where('removed_version', 'is', null)
    .orderBy('ordinal')
    .orderBy('id')
    .execute();
}
