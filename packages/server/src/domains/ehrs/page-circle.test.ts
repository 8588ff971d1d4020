import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageCircle } from './page-circle.ts';

/** Follows pages that are named by numbers, of which the one after `last` is `back`; answers how many were followed. */
function follow(last: number, back: number, pagesMax: number): number {
  const circle = new PageCircle();
  let page = 0;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const next = page === last ? back : page + 1;
    try {
      circle.follow(String(page), String(next), pages === 0);
    } catch (error) {
      assert.equal(Reflect.get(Object(error), 'code'), 'ENDLESS');
      return pages;
    }
    page = next;
  }
  return pagesMax;
}

test('pages that lead back to an earlier one are followed a few times at most, wherever the circle begins', () => {
  for (const last of [0, 1, 2, 5, 40, 333])
    for (const back of new Set([0, 1, last >> 1, last].filter((page) => page <= last)))
      assert.ok(follow(last, back, 10_000) <= 4 * (last + 2), `${last} to ${back}`);
});

test('pages without a circle are followed to their end, search after search', () => {
  assert.equal(follow(20_000, 0, 10_000), 10_000);
  const circle = new PageCircle();
  for (let search = 0; search < 5; search += 1) {
    circle.follow('a', 'b', true);
    circle.follow('b', 'c', false);
  }
});
