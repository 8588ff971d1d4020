import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import type { Records } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';

/** The index that lies beside a BAM under one of its usual names, when there is one: `x.bam.bai`, `x.bai`. */
export async function indexBeside(records: Records, { project_id, name }: FilesTable): Promise<BlobInfo[]> {
  const names = [`${name}.bai`, name.replace(/(?:\.bam)?$/i, '.bai')];
  const found = await records.read
    .selectFrom('files')
    .select(['blob_key as key', 'size', 'sha256'])
    .where('project_id', '=', project_id)
    .where('name', 'in', names)
    .orderBy('name')
    .limit(1)
    .execute();
  return found.filter(({ size }) => size > 0);
}
