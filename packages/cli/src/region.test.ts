import assert from 'node:assert/strict';
import { test } from 'node:test';
import { regionOf } from './region.ts';

test('a region of samtools becomes one that begins at 0 and excludes its end', () => {
  assert.deepEqual(regionOf('chr1'), { referenceName: 'chr1' });
  assert.deepEqual(regionOf('HLA:01:1-9'), { referenceName: 'HLA:01', start: 0, end: 9 });
  assert.deepEqual(regionOf('chr1:1,000-2,000'), { referenceName: 'chr1', start: 999, end: 2000 });
  for (const open of ['chr1:1000', 'chr1:1,000-'])
    assert.deepEqual(regionOf(open), { referenceName: 'chr1', start: 999 });
});

test('a region that begins at 0, or ends before it begins, is wrong usage', () => {
  for (const wrong of ['', 'chr1:0-5', 'chr1:9-5']) assert.throws(() => regionOf(wrong), /is not a region/);
});
