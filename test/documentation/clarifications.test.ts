/** Each decision about the API is held by a test or proof that its row names. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

const rows = readFileSync(join(root, 'docs/clarifications.md'), 'utf8')
  .split('\n')
  .map((line, index) => ({ at: index + 1, cells: line.split(/(?<!\\)\|/).slice(1, -1) }))
  .filter(({ cells }) => cells.length === 5 && !/^(?: test |-+)$/.test(cells.at(-1) ?? ''));

test('no two rows of docs/clarifications.md decide the same', () => {
  const places = Map.groupBy(rows, ({ cells }) => cells.slice(0, 2).join('|'));
  const twice = [...places.values()]
    .filter((same) => same.length > 1)
    .map((same) => same.map(({ at }) => at));
  assert.deepEqual(twice, []);
});

test('every row of docs/clarifications.md names tests or proofs, and all of them are there', () => {
  const wrong = rows.flatMap(({ at, cells }) => {
    const named = [...(cells.at(-1) ?? '').matchAll(/`([\w.*/-]+\.(?:test|proof)\.ts)`/g)].map(
      ([, path = '']) => path,
    );
    if (named.length === 0) return [`${at} names none`];
    return named
      .map((path) => (/^(?:packages|samples|test)\//.test(path) ? path : `packages/server/src/${path}`))
      .filter((path) => globSync(path, { cwd: root }).length === 0)
      .map((path) => `${at} names ${path}`);
  });
  assert.deepEqual(wrong, []);
  assert.ok(rows.length > 250, 'they are found');
});
