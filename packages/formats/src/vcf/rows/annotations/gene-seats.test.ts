import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnnotationList } from './annotation-list.ts';
import { GeneSeats } from './gene-seats.ts';

/** Counts the comparisons of gene names for a number of genes that each occur twice. */
function looksFor(geneCount: number): number {
  const width = 8;
  const names = Array.from({ length: geneCount }, (_, at) => `G${at}`.padEnd(width, '_'));
  const bytes = new TextEncoder().encode(names.join('').repeat(2));
  const starts = Array.from({ length: 2 * geneCount }, (_, at) => at * width);
  let looks = 0;
  const geneStarts = new Proxy(starts, {
    get(target, key) {
      looks += 1;
      return Reflect.get(target, key);
    },
  });
  const geneEnds = starts.map((start) => start + width);
  const seats = new GeneSeats({ geneStarts, geneEnds } as unknown as AnnotationList);
  for (let place = 0; place < 2 * geneCount; place += 1) {
    const seat = seats.seatOf(bytes, place);
    assert.equal(seat, place < geneCount ? -1 : place - geneCount);
    if (seat < 0) seats.add(bytes, place);
  }
  assert.equal(seats.count, geneCount);
  return looks;
}

test('a gene is held against no more others where a record reaches more of them', () => {
  const furtherLooks = looksFor(3000) - looksFor(2000);
  // At most three for each further gene: to look it up, to keep it, and to look it up again.
  assert.ok(furtherLooks <= 3 * 1000, `${furtherLooks} for 1,000 genes more`);
});
