import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergedSamples, readLinkedSamples } from './samples.ts';

test('a table of samples is read with any separator, quotes and order of its columns', () => {
  const read = [{ sampleId: 's,1', patientId: 'p"1', specimenId: 'x' }, { sampleId: 's2' }];
  for (const [separator, line] of [
    [',', '"p""1","s,1",x'],
    ['\t', 'p"1'.replace('"', '""').replace(/^/, '"').concat('"\t"s,1"\tx')],
    [';', '"p""1";s,1;x'],
  ] as const) {
    const heading = ['Patient ID', 'sample_id', 'specimen'].join(separator);
    assert.deepEqual(
      readLinkedSamples(`\ufeff${heading}\r\n${line}\r\n\r\n${separator}s2${separator}\n`),
      read,
      separator,
    );
  }
});

test('other columns and lines without a sample are refused', () => {
  assert.throws(() => readLinkedSamples('sample_id,age\ns,3'), /first line/);
  assert.throws(() => readLinkedSamples('patient_id\np'), /first line/);
  assert.throws(() => readLinkedSamples('sample_id,patient_id\ns,p\n,p'), /Line 3/);
});

test('a sample of both lists is as in the second', () => {
  const [a, b, c] = [{ sampleId: 'a' }, { sampleId: 'b', patientId: 'p' }, { sampleId: 'a', patientId: 'q' }];
  assert.deepEqual(mergedSamples([a, b], [c]), [c, b]);
});
