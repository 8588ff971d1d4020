import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PaginationLoopGuard } from './pagination-loop.ts';

/** Follows numbered pages, of which the one after `last` is `back`; returns how many were followed. */
function follow(last: number, back: number, pagesMax: number): number {
  const guard = new PaginationLoopGuard();
  let page = 0;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const next = page === last ? back : page + 1;
    try {
      guard.check(String(page), String(next), pages === 0);
    } catch (error) {
      assert.equal(Reflect.get(Object(error), 'code'), 'ENDLESS');
      return pages;
    }
    page = next;
  }
  return pagesMax;
}

test('a pagination loop is detected after a few rounds, wherever it begins', () => {
  for (const last of [0, 1, 2, 5, 40, 333])
    for (const back of new Set([0, 1, last >> 1, last].filter((page) => page <= last)))
      assert.ok(follow(last, back, 10_000) <= 4 * (last + 2), `${last} to ${back}`);
});

test('pages without a loop are followed to their end, search after search', () => {
  assert.equal(follow(20_000, 0, 10_000), 10_000);
  const guard = new PaginationLoopGuard();
  for (let search = 0; search < 5; search += 1) {
    guard.check('a', 'b', true);
    guard.check('b', 'c', false);
  }
});
