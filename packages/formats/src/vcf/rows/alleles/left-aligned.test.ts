import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftAligned } from './left-aligned.ts';

/** Reads bases of one chromosome. */
const basesOf = (text: string) => ({
  read: (chromosome: string, start: number, end: number) =>
    chromosome === 'chr1' ? text.slice(start - 1, end) : undefined,
});
const aligned = (text: string, position: number, reference: string, alternate: string): string => {
  const { position: at, ...found } = leftAligned(basesOf(text), 'chr1', {
    position,
    reference,
    alternate,
  }) ?? {
    ...{ position, reference, alternate },
  };
  return `${at} ${found.reference} ${found.alternate}`;
};

test('insertions and deletions in repeats move to their leftmost place', () => {
  assert.equal(aligned('GCACACAT', 6, 'CA', 'A'), '5 AC A');
  assert.equal(aligned('GCACACAT', 5, 'ACA', 'A'), '1 GCA G');
  assert.equal(aligned('GCACACAT', 7, 'A', 'ACA'), '1 G GCA');
  assert.equal(aligned('TAAAAAAC', 7, 'A', 'AA'), '1 T TA');
  assert.equal(aligned('GCCT', 3, 'C', 'ATC'), '2 C CAT');
  assert.equal(aligned('C'.repeat(600), 500, 'C', 'CC'), '1 C CC', 'over chunks, to the first base');
});

test('nothing moves before an unknown base, or where the reference has other bases', () => {
  assert.equal(aligned('GNAAAC', 5, 'A', 'AA'), '3 A AA');
  assert.equal(aligned('TGGGG', 5, 'A', 'AA'), '5 A AA');
  assert.equal(aligned('TAAA', 4, 'A', 'G'), '4 A G');
  const other = leftAligned(basesOf('TAAA'), 'chr2', { position: 4, reference: 'A', alternate: 'AA' });
  assert.equal(other, undefined);
});
