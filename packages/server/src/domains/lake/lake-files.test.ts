import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { newId } from '../../ids.ts';
import type { SegmentsTable } from '../../platform/records/schema-lake.ts';
import { visibleFiles, visibleSegmentsOf } from './lake-files.ts';

testOnRecords('a file is told with how many ingestions and rows of it are visible', async ({ open }) => {
  const records = await open();
  const segment = (number: number, more: Partial<SegmentsTable> = {}): SegmentsTable => ({
    ...{ id: newId(), project_id: 'p', table_name: 'patient', source_file_id: `f${number}` },
    ...{ ingestion_id: `i${number}`, blob_key: 'shared', row_count: number, size: 1, sha256: '' },
    ...{ genome_build: null, ordinal: number, file_rows: 10, added_version: 1 },
    ...{ removed_version: null, removed_at: null, ...more },
  });
  const gone = segment(3, { removed_version: 2, removed_at: 1 });
  const own = segment(7, { blob_key: 'own', file_rows: null, table_name: 'variant', genome_build: 'GRCh38' });
  const all = [segment(1), segment(2), gone, segment(4), own, segment(5, { project_id: 'q', blob_key: 'q' })];
  await records.transact((tx) => tx.insertInto('segments').values(all).execute());
  const files = await visibleFiles(records.read, 'p');
  assert.deepEqual(
    files.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    [
      { table: 'variant', key: 'own', genomeBuild: 'GRCh38', segments: 1, rows: 7, staleRows: 0 },
      { table: 'patient', key: 'shared', genomeBuild: null, segments: 3, rows: 7, staleRows: 3 },
    ],
  );
  const rows = await visibleSegmentsOf(records.read, 'p', files);
  assert.deepEqual(
    rows.map(({ ordinal }) => ordinal),
    [1, 2, 4, 7],
  );
});
