import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SegmentsTable } from '../../platform/records/schema-lake.ts';
import { filesOf, nextMerges } from './merge-plan.ts';

const limits = { filesMin: 4, rowsMax: 1_000_000 };
let ids = 0;

function segment(rows: number, more: Partial<SegmentsTable> = {}): SegmentsTable {
  ids += 1;
  return {
    id: `s${ids}`,
    project_id: 'p',
    table_name: 'variant',
    source_file_id: `f${ids}`,
    ingestion_id: `i${ids}`,
    blob_key: `b${ids}`,
    row_count: rows,
    size: rows * 10,
    sha256: '',
    genome_build: null,
    ordinal: ids,
    file_rows: null,
    added_version: ids,
    removed_version: null,
    removed_at: null,
    ...more,
  };
}

const sizes = (segments: SegmentsTable[], more = {}): number[][] =>
  nextMerges(filesOf(segments), { ...limits, ...more }).map((files) => files.map(({ rows }) => rows));

test('files of about one size are merged once there are enough of them, the smallest first', () => {
  assert.deepEqual(sizes([10, 20, 70_000].map((rows) => segment(rows))), []);
  assert.deepEqual(sizes([20, 70_000, 10, 30].map((rows) => segment(rows))), [[10, 20, 30, 70_000]]);
});

test('a large file is not written anew for a few small ones', () => {
  assert.deepEqual(sizes([900_000, 10, 20, 30].map((rows) => segment(rows))), []);
  assert.deepEqual(sizes([900_000, 10, 20, 30, 40].map((rows) => segment(rows))), [[10, 20, 30, 40]]);
});

test('a merged file never has more rows than the limit', () => {
  const large = Array.from({ length: 5 }, () => segment(400_000));
  assert.deepEqual(sizes(large), [[400_000, 400_000]]);
  const tooLarge = Array.from({ length: 5 }, () => segment(600_000));
  assert.deepEqual(sizes(tooLarge), []);
});

test('tables are merged apart, and those that we do not know are left alone', () => {
  const mixed = [1, 2].flatMap((rows) => [segment(rows), segment(rows, { table_name: 'patient' })]);
  assert.deepEqual(sizes(mixed), []);
  const unknown = [1, 2, 3, 4].map((rows) => segment(rows, { table_name: '_unknown' }));
  assert.deepEqual(sizes(unknown), []);
});

test('files of different builds of the genome are never merged with each other', () => {
  const on = (genome_build: string | null) => [1, 2, 3, 4].map((rows) => segment(rows, { genome_build }));
  const merges = nextMerges(filesOf([...on('GRCh37'), ...on(null), ...on('GRCh38')]), limits);
  const builds = merges.map((files) => [...new Set(files.map(({ genomeBuild }) => genomeBuild))]);
  assert.deepEqual(builds.sort(), [['GRCh37'], ['GRCh38'], [null]].sort());
});

test('a file with rows that nobody may see any more is written without them', () => {
  const shared = { blob_key: 'shared', file_rows: 100 };
  assert.deepEqual(sizes([segment(60, shared), segment(40, shared)]), []);
  assert.deepEqual(sizes([segment(60, shared), segment(500)]), [[60]]);
});

test('several tables are merged in one step, as long as that is a short one', () => {
  const of = (table_name: string, rows: number) =>
    Array.from({ length: 4 }, () => segment(rows, { table_name }));
  assert.deepEqual(sizes([...of('variant', 2), ...of('patient', 1)]), [
    [1, 1, 1, 1],
    [2, 2, 2, 2],
  ]);
  assert.deepEqual(sizes([...of('variant', 200_000), ...of('patient', 100_000)]), [Array(4).fill(100_000)]);
});

test('nothing is merged when that is switched off', () => {
  const many = Array.from({ length: 20 }, () => segment(1));
  assert.deepEqual(sizes([...many, segment(1, { file_rows: 9 })], { filesMin: 0 }), []);
});
