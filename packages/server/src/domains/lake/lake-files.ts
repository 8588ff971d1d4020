import type { Reader } from '../../platform/records/records.ts';
import type { SegmentsTable } from '../../platform/records/schema-lake.ts';
import type { LakeFile } from './merge-plan.ts';

/** The Parquet files of a project with what of them is visible now: as few rows as there are files, however many ingestions they came from. */
export async function visibleFiles(read: Reader, project: string): Promise<LakeFile[]> {
  const rows = await read
    .selectFrom('segments')
    .select(({ fn }) => [
      ...(['table_name', 'blob_key', 'genome_build', 'file_rows'] as const),
      fn.countAll<number>().as('segments'),
      fn.sum<number>('row_count').as('rows'),
    ])
    .where('project_id', '=', project)
    .where('removed_version', 'is', null)
    .groupBy(['table_name', 'blob_key', 'genome_build', 'file_rows'])
    .execute();
  return rows.map((row) => ({
    table: row.table_name,
    key: row.blob_key,
    genomeBuild: row.genome_build,
    segments: row.segments,
    rows: row.rows,
    staleRows: row.file_rows === null ? 0 : row.file_rows - row.rows,
  }));
}

/** The rows of the catalogue that are visible now of some files, oldest first. */
export async function visibleSegmentsOf(
  read: Reader,
  project: string,
  files: readonly LakeFile[],
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
