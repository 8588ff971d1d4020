import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from '../../platform/records/migrations/index.ts';
import { tablesAfter } from '../../platform/records/shape.ts';
import { blobColumnsOf } from './copy-blobs.ts';

test('every column about a blob follows the naming of blob columns', async () => {
  const tables = await tablesAfter(migrations);
  const strays = tables.flatMap(({ name, columns }) =>
    columns
      .filter((column) => column.includes('blob') && !/(^|_)blob(_key)?$/.test(column))
      .map((column) => `${name}.${column}: name it …blob_key`),
  );
  assert.deepEqual(strays, []);
  const found = tables.filter((table) => blobColumnsOf(table).length > 0).map(({ name }) => name);
  for (const known of ['files', 'pictures', 'segments', 'upload_parts', 'ehr_sync_pages'])
    assert.ok(found.includes(known), known);
});

test('the size and hash beside a key belong to its blob', () => {
  const columns = ['id', 'blob_key', 'size', 'sha256', 'index_blob', 'index_size', 'source_blob'];
  assert.deepEqual(blobColumnsOf({ name: 'variant_indexes', columns }), [
    { key: 1, size: 2, sha256: 3 },
    { key: 4, size: 5, sha256: undefined },
  ]);
});
