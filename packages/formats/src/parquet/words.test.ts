import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareTexts } from '../bytes.ts';
import { areEqual, compareWords, hashOf, viewOf } from './words.ts';

const bytes = fc.uint8Array({ maxLength: 12 });

/** Two texts of which one often begins like the other, each with something before it. */
const pairs = fc.tuple(bytes, bytes, bytes, fc.nat(5), fc.nat(5)).map(([shared, left, right, from, at]) => {
  const placed = (own: Uint8Array, before: number): { view: DataView; start: number; text: Uint8Array } => {
    const text = Uint8Array.of(...shared, ...own);
    return { view: viewOf(Uint8Array.of(...new Uint8Array(before), ...text)), start: before, text };
  };
  return [placed(left, from), placed(right, at)] as const;
});

test('texts are ordered by their bytes, a word at a time or not', () => {
  fc.assert(
    fc.property(pairs, ([left, right]) => {
      const [leftEnd, rightEnd] = [left.start + left.text.length, right.start + right.text.length];
      const order = compareWords(left.view, left.start, leftEnd, right.view, right.start, rightEnd);
      assert.equal(Math.sign(order), Math.sign(compareTexts(left.text, right.text)));
    }),
  );
});

test('texts are equal when their bytes are, and then have one hash, wherever they lie', () => {
  fc.assert(
    fc.property(pairs, ([left, right]) => {
      const size = Math.min(left.text.length, right.text.length);
      const isSame = compareTexts(left.text.subarray(0, size), right.text.subarray(0, size)) === 0;
      assert.equal(areEqual(left.view, left.start, right.view, right.start, size), isSame);
      if (isSame) assert.equal(hashOf(left.view, left.start, size), hashOf(right.view, right.start, size));
    }),
  );
});
