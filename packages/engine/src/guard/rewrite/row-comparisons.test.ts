import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DuckdbSql } from '../../duckdb.ts';
import { openSql } from '../../engine.fixture.ts';
import { engineDefaults } from '../../index.ts';
import { checkStatement, type SyntaxTrees } from '../check.ts';
import { Refusal } from '../refusal.ts';

let folder: string;
let sql: DuckdbSql;
let trees: SyntaxTrees;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rows-'));
  sql = await openSql(folder);
  trees = {
    serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
    deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
  };
});

after(async () => {
  sql.close();
  await rm(folder, { recursive: true, force: true });
});

const check = async (statement: string): Promise<string> =>
  (await checkStatement(statement, [], engineDefaults.check, trees)).sql;

const valuesOf = async (statement: string): Promise<unknown[]> =>
  (await sql.rows(await check(statement))).map((row) => row['v']);

const values = '(VALUES (1), (2), (NULL))';
/** Pairs of every row of two with every other. */
const pairs = `FROM ${values} AS a(a), ${values} AS b(b), ${values} AS c(c), ${values} AS d(d) ORDER BY a, b, c, d`;

const byElements: [string, string][] = [
  ['(a, b) = (c, d)', 'a = c AND b = d'],
  ['ROW(a, b) <> ROW(c, d)', 'a <> c OR b <> d'],
  ['NOT (a, b) = (c, d)', 'NOT (a = c AND b = d)'],
  ['(a, (b, c)) = (c, (d, b))', 'a = c AND b = d AND c = b'],
  ['(a, b) IN ((c, d), (1, 2))', '(a = c AND b = d) OR (a = 1 AND b = 2)'],
  ['(a, b) IN ((1, 2), (2, 1))', '(a = 1 AND b = 2) OR (a = 2 AND b = 1)'],
  [
    '(a, b) NOT IN ((1, 2), (2, -1), (1, NULL))',
    'NOT ((a = 1 AND b = 2) OR (a = 2 AND b = -1) OR (a = 1 AND b = NULL))',
  ],
  ['(a, (b, 1)) IN ((1, (2, 1)), (2, (1, 1)))', '(a = 1 AND b = 2) OR (a = 2 AND b = 1)'],
  ['CASE (a, b) WHEN (c, d) THEN 1 ELSE 2 END', 'CASE WHEN a = c AND b = d THEN 1 ELSE 2 END'],
  ['((a, b) = (c, d)) = ((a, b) = (1, 2))', '(a = c AND b = d) = (a = 1 AND b = 2)'],
];

for (const [rows, elements] of byElements) {
  test(`${rows} is ${elements}, whatever is NULL`, async () => {
    const expected = await sql.rows(`SELECT ${elements} AS v ${pairs}`);
    const found = await valuesOf(`SELECT ${rows} AS v ${pairs}`);
    assert.equal(found.length, 81);
    assert.deepEqual(
      found,
      expected.map((row) => row['v']),
    );
  });
}

test('rows join where all elements are equal, and NULL equals nothing', async () => {
  const both = '(VALUES (1, 1), (1, NULL), (NULL, NULL))';
  const joined = `SELECT x.a AS v FROM ${both} AS x(a, b) JOIN ${both} AS y(a, b) ON (x.a, x.b) = (y.a, y.b)`;
  assert.deepEqual(await valuesOf(joined), [1]);
});

test('an expression with a new value for each call is still evaluated once', async () => {
  const text = await check(
    'SELECT (1, random()) IN ((1, 0.5), (2, 0.5)), (1, (SELECT 1)) IN ((1, 1), (2, 2))',
  );
  assert.equal(text.match(/random/g)?.length, 1);
  assert.equal(text.match(/SELECT 1/g)?.length, 1);
});

test('a row among many constants is looked up at once, not compared with one after the other', async () => {
  const rows = Array.from({ length: 400 }, (_, index) => `(${index}, ${index})`).join(', ');
  const text = await check(`SELECT (a, b) IN (${rows}) AS v FROM (SELECT 399 AS a, 399 AS b)`);
  assert.match(text, /CASE .* IN \(.*"row"\(398, 398\), .*"row"\(399, 399\)\)+ ELSE/s);
  assert.deepEqual(await sql.rows(text), [{ v: true }]);
});

test('rows of different lengths are refused', async () => {
  for (const comparison of [
    '(1, 2) = (1, 2, 3)',
    '(1, 2) IN ((1, 2), (1, 2, 3))',
    '(1, (2, 3)) <> (1, (2, 3, 4))',
  ])
    await assert.rejects(
      check(`SELECT ${comparison}`).then((text) => sql.columns(text)),
      /different size/,
    );
});

test('a statement that would grow beyond all bounds is refused', async () => {
  let nested = '1';
  for (let level = 0; level < 60; level += 1) nested = `((${nested}, 1) IN ((1, 1), (2, 2)))`;
  const long = `${'upper('.repeat(400)}'a'${')'.repeat(400)}`;
  const rows = Array.from({ length: 300 }, (_, index) => `('a', ${index})`).join(', ');
  for (const bomb of [nested, `(${long}, 1) IN (${rows})`])
    await assert.rejects(check(`SELECT ${bomb}`), Refusal);
});
