import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotation, geneModel, storedTables } from '@ploidy/formats/tables';
import { type MergeInput, nextMerges, segmentsMax } from './merge-plan.ts';

const limits = { filesMin: 4, rowsMax: 1_000_000 };
let keys = 0;

function file(rows: number, more: Partial<MergeInput> = {}): MergeInput {
  keys += 1;
  const file = { table: 'variant', key: `b${keys}`, genomeBuild: null, chromosome: null, source: '' };
  return { ...file, segments: 1, rows, staleRows: 0, ...more };
}

const sizes = (files: MergeInput[], more = {}): number[][] =>
  nextMerges(files, { ...limits, ...more }).map((merge) => merge.map(({ rows }) => rows));

test('files of similar size are merged once there are enough of them, smallest first', () => {
  assert.deepEqual(sizes([10, 20, 70_000].map((rows) => file(rows))), []);
  assert.deepEqual(sizes([20, 70_000, 10, 30].map((rows) => file(rows))), [[10, 20, 30, 70_000]]);
});

test('a large file is not rewritten for a few small ones', () => {
  assert.deepEqual(sizes([900_000, 10, 20, 30].map((rows) => file(rows))), []);
  assert.deepEqual(sizes([900_000, 10, 20, 30, 40].map((rows) => file(rows))), [[10, 20, 30, 40]]);
});

test('a merged file never has more rows than the limit', () => {
  const large = Array.from({ length: 5 }, () => file(400_000));
  assert.deepEqual(sizes(large), [[400_000, 400_000]]);
  const tooLarge = Array.from({ length: 5 }, () => file(600_000));
  assert.deepEqual(sizes(tooLarge), []);
});

test('tables are merged separately, and unknown ones are left alone', () => {
  const mixed = [1, 2].flatMap((rows) => [file(rows), file(rows, { table: 'patient' })]);
  assert.deepEqual(sizes(mixed), []);
  const unknown = [1, 2, 3, 4].map((rows) => file(rows, { table: '_unknown' }));
  assert.deepEqual(sizes(unknown), []);
});

/** Tables whose files count one by one. */
const unmerged = new Set([annotation.name, geneModel.name]);

test('small files of every table except annotations and gene models are merged', () => {
  for (const table of storedTables.keys()) {
    const small = [1, 2, 3, 4].map((rows) => file(rows, { table }));
    assert.deepEqual(sizes(small), unmerged.has(table) ? [] : [[1, 2, 3, 4]], table);
  }
});

test('files of different genome builds are never merged', () => {
  const on = (genomeBuild: string | null) => [1, 2, 3, 4].map((rows) => file(rows, { genomeBuild }));
  const merges = nextMerges([...on('GRCh37'), ...on(null), ...on('GRCh38')], limits);
  const builds = merges.map((files) => [...new Set(files.map(({ genomeBuild }) => genomeBuild))]);
  assert.deepEqual(builds.sort(), [['GRCh37'], ['GRCh38'], [null]].sort());
});

test('larger files of one chromosome are merged with each other, small ones with all', () => {
  const on = (chromosome: string | null, rows: number) => [1, 2, 3, 4].map(() => file(rows, { chromosome }));
  const merged = (rows: number) =>
    nextMerges([...on('chr1', rows), ...on(null, rows), ...on('chr2', rows)], limits).map((files) => [
      ...new Set(files.map(({ chromosome }) => chromosome)),
    ]);
  assert.deepEqual(merged(81_000).sort(), [['chr1'], ['chr2'], [null]].sort());
  assert.deepEqual(merged(10), [['chr1', null, 'chr2']]);
});

test('a file with invisible rows is rewritten without them', () => {
  assert.deepEqual(sizes([file(100, { segments: 2 })]), []);
  assert.deepEqual(sizes([file(60, { staleRows: 40 }), file(500)]), [[60]]);
});

test('several tables are merged in one step while the step is short', () => {
  const of = (table: string, rows: number) => Array.from({ length: 4 }, () => file(rows, { table }));
  assert.deepEqual(sizes([...of('variant', 2), ...of('patient', 1)]), [
    [1, 1, 1, 1],
    [2, 2, 2, 2],
  ]);
  assert.deepEqual(sizes([...of('variant', 200_000), ...of('patient', 100_000)]), [Array(4).fill(100_000)]);
});

test('a minimum of 0 files turns merging off', () => {
  const many = Array.from({ length: 20 }, () => file(1));
  assert.deepEqual(sizes([...many, file(1, { staleRows: 8 })], { filesMin: 0 }), []);
});

test('a file of many ingestions is not rewritten for a few small ones, however few rows it has', () => {
  const small = [1, 2, 3].map((rows) => file(rows));
  assert.deepEqual(sizes([...small, file(70, { segments: 60 })]), [[1, 2, 3, 70]]);
  assert.deepEqual(sizes([...small, file(80, { segments: 70 })]), []);
  const like = [80, 90, 100].map((segments) => file(segments, { segments }));
  assert.deepEqual(sizes([...small, ...like, file(70, { segments: 70 })]), [[70, 80, 90, 100]]);
});

test('one step changes no more rows of the catalogue than one short transaction may', () => {
  const written = (files: MergeInput[]): number[] =>
    nextMerges(files, limits).map((merge) => merge.reduce((sum, { segments }) => sum + segments, 0));
  const sum = (counts: number[]): number => counts.reduce((all, count) => all + count, 0);
  assert.deepEqual(written(Array.from({ length: 5000 }, () => file(1))), [segmentsMax]);
  const inTables = ['patient', 'observation', 'condition', 'procedure'].flatMap((table) =>
    Array.from({ length: 8 }, () => file(90, { table, segments: 90 })),
  );
  assert.deepEqual(written(inTables), [8 * 90]);
  const stale = [700, 600, 300].map((segments) => file(segments, { segments, staleRows: 1 }));
  assert.ok(sum(written(stale)) <= segmentsMax);
  assert.equal(written([file(5000, { segments: 5000, staleRows: 1 })]).length, 1, 'part by part');
});

test('an endless series of small files makes few catalogue rows and few files', () => {
  let files: MergeInput[] = [];
  let written = 0;
  const ingestions = 6000;
  for (let count = 1; count <= ingestions; count += 1) {
    files.push(file(3, { table: 'patient' }));
    for (;;) {
      const merges = nextMerges(files, { filesMin: 8, rowsMax: 10_000_000 });
      if (merges.length === 0) break;
      for (const merge of merges) {
        const segments = merge.reduce((sum, one) => sum + one.segments, 0);
        assert.ok(segments <= segmentsMax);
        written += segments;
        files = files.filter((one) => !merge.includes(one));
        files.push(file(3 * segments, { table: 'patient', segments }));
      }
    }
  }
  assert.ok(written < 8 * ingestions, `${written} rows`);
  assert.ok(files.length < 32, `${files.length} files`);
});
