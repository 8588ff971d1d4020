import { nameKey } from '../../names.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';

/** Makes the result of a query a file of its project; the file's id is the query's (docs/clarifications.md). */
export async function addResultFile(
  tx: Transaction,
  result: { query: QueriesTable; name: string; blob: BlobInfo },
): Promise<void> {
  const { query, name, blob } = result;
  const now = Date.now();
  const row: FilesTable = {
    id: query.id,
    account_id: query.account_id,
    project_id: query.project_id,
    name,
    name_key: nameKey(name),
    content_type: 'text/csv; charset=utf-8; header=present',
    blob_key: blob.key,
    size: blob.size,
    sha256: blob.sha256,
    origin: 'query',
    owner_id: query.user_id,
    created_at: now,
    modified_at: now,
  };
  await tx.insertInto('files').values(row).execute();
}
