import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import { newId } from '../../../base/ids.ts';
import { addIntents } from '../../../platform/blobs/intents.ts';
import type { Records } from '../../../platform/records/index.ts';
import { up } from '../../../platform/records/migrations/0004-lake-files.ts';
import type { SegmentsTable } from '../../../platform/records/schema-lake.ts';
import { mergeInputs, recordFiles, visibleSegmentsOf } from './lake-files.ts';

testOnRecords('a file is listed with its numbers of visible ingestions and rows', async ({ open }) => {
  const records = await open();
  const segment = (number: number, more: Partial<SegmentsTable> = {}): SegmentsTable => ({
    ...{ id: newId(), project_id: 'p', table_name: 'patient', source_file_id: `f${number}` },
    ...{ ingestion_id: `i${number}`, blob_key: 'shared', row_count: number, size: 1, sha256: '' },
    ...{ genome_build: null, source: '', ordinal: number, file_rows: 10, added_version: 1 },
    ...{ removed_version: null, removed_at: null, own_columns: null, bounds: null, ...more },
  });
  const gone = segment(3, { removed_version: 2, removed_at: 1 });
  const own = segment(7, {
    ...{ blob_key: 'own', file_rows: null, table_name: 'variant', genome_build: 'GRCh38' },
    bounds: JSON.stringify({ chromosome: { among: ['chr1'] } }),
  });
  const all = [segment(1), segment(2), gone, segment(4), own, segment(5, { project_id: 'q', blob_key: 'q' })];
  await records.transact(async (tx) => {
    await addIntents(tx, ['shared', 'own', 'q']);
    await tx.insertInto('segments').values(all).execute();
    for (const project of ['p', 'q'])
      await recordFiles(tx, { project, version: 2, keys: ['shared', 'own', 'q'] });
  });
  const files = await mergeInputs(records.read, 'p');
  assert.deepEqual(
    files.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    [
      {
        ...{ table: 'variant', key: 'own', genomeBuild: 'GRCh38', chromosome: 'chr1', source: '' },
        ...{ segments: 1, rows: 7, staleRows: 0 },
      },
      {
        ...{ table: 'patient', key: 'shared', genomeBuild: null, chromosome: null, source: '' },
        ...{ segments: 3, rows: 7, staleRows: 3 },
      },
    ],
  );
  const recorded = await statesOf(records);
  await records.transact(async (tx) => {
    await sql`drop table lake_files`.execute(tx);
    await up(tx as never);
  });
  assert.deepEqual(await statesOf(records), recorded, 'the migration derives the same states');
  const rows = await visibleSegmentsOf(records.read, 'p', files);
  assert.deepEqual(
    rows.map(({ ordinal }) => ordinal),
    [1, 2, 4, 7],
  );
});

async function statesOf({ read }: Records) {
  const rows = await read.selectFrom('lake_files').selectAll().orderBy('key').execute();
  return rows.map(({ id: _, added_version: __, bounds: ___, chromosome: ____, ...state }) => state);
}
