/** Each behaviour that a document describes in a table with a column `test` names a test that holds it. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tablesIn } from './markdown.ts';

const root = join(import.meta.dirname, '../..');

const rows = globSync(['docs/**/*.md', 'SECURITY.md'], { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .flatMap((path) =>
    tablesIn(readFileSync(join(root, path), 'utf8'))
      .filter(({ header }) => header.at(-1) === 'test')
      .flatMap((table) => table.rows.map(({ line, cells }) => ({ path, line, cells }))),
  );
const testsOf = (cells: readonly string[]): string[] =>
  [...(cells.at(-1) ?? '').matchAll(/`([\w.*/-]+\.test\.ts)`/g)].map(([, path = '']) =>
    /^(?:packages|samples|test)\//.test(path) ? path : `packages/server/src/${path}`,
  );
const exists = (path: string): boolean =>
  path.includes('*') ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));

test('every row with a column test has a subject, a behaviour and tests that exist', () => {
  const wrong = rows.flatMap(({ path, line, cells }) => {
    const at = `${path}:${line}`;
    if (cells.length !== 3 || cells.includes('')) return [`${at} has not three cells`];
    const named = testsOf(cells);
    if (named.length === 0) return [`${at} names no test`];
    return named.filter((one) => !exists(one)).map((one) => `${at} names ${one}, which does not exist`);
  });
  assert.deepEqual(wrong, []);
});

test('no two rows of a document have one subject', () => {
  const places = Map.groupBy(rows, ({ path, cells }) => `${path}: ${cells[0]}`);
  assert.deepEqual(
    [...places].filter(([, same]) => same.length > 1).map(([subject]) => subject),
    [],
  );
});

test('the documents describe behaviour by more than 200 rows and 250 test files', () => {
  assert.ok(rows.length > 200, `${rows.length} rows`);
  const files = new Set(rows.flatMap(({ cells }) => testsOf(cells)));
  assert.ok(files.size > 250, `${files.size} files`);
});

test('no row of a table in docs/api is longer than 300 characters', () => {
  const long = globSync('docs/api/*.md', { cwd: root }).flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((row, index) =>
        row.startsWith('|') && row.length > 300 ? [`${path}:${index + 1} has ${row.length}`] : [],
      ),
  );
  assert.deepEqual(long, []);
});
