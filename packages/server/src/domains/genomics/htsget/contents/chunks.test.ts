import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeRanges, type SequenceRange } from './chunks.ts';

const range = (number: number, start: number, end: number): SequenceRange => ({ number, start, end });

test('merged ranges contain exactly the positions of the input, each once', () => {
  const random = (below: number): number => Math.floor(Math.random() * below);
  for (let run = 0; run < 200; run += 1) {
    const ranges = Array.from({ length: random(8) }, () => {
      const start = random(30);
      return range(random(3), start, start + random(10));
    });
    const positions = (some: readonly SequenceRange[]): string[] =>
      some.flatMap(({ number, start, end }) =>
        Array.from({ length: end - start }, (_, at) => `${number}:${start + at}`),
      );
    const given = JSON.stringify(ranges);
    assert.deepEqual(positions(mergeRanges(ranges)).sort(), [...new Set(positions(ranges))].sort(), given);
    assert.equal(JSON.stringify(ranges), given, 'what was given stays as it was');
  }
});

test('ranges that overlap or touch are merged, and sequences stay separate', () => {
  assert.deepEqual(
    mergeRanges([range(1, 5, 9), range(0, 8, 9), range(1, 0, 5), range(1, 10, 11), range(1, 1, 3)]),
    [range(0, 8, 9), range(1, 0, 9), range(1, 10, 11)],
  );
});
