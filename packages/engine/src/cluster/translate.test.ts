import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DuckdbSql } from '../duckdb.ts';
import { openSql } from '../engine.fixture.ts';
import type { RemoteView } from '../engine.ts';
import type { SyntaxTrees } from '../guard/check.ts';
import { Untranslatable } from './syntax.ts';
import { translateStatement } from './translate.ts';

let folder: string;
let sql: DuckdbSql;
let trees: SyntaxTrees;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'translate-'));
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

const view: RemoteView = { name: 't', sql: 'SELECT "a", "b" FROM lake."t"', columns: ['a', 'b'] };
const viewText = '"p_t" AS (SELECT "a", "b" FROM "q_1"."t" AS "t")';

const translate = (statement: string, views: RemoteView[] = [view], isMasked = false): Promise<string> =>
  translateStatement({ sql: statement, isMasked, views, namespace: 'q_1' }, trees);

/** Printed statements without the WITH queries of their tables. */
const printed: Readonly<Record<string, string>> = {
  'SELECT a FROM t': 'SELECT "a" FROM "p_t" AS "t"',
  'SELECT x.a AS n FROM t x ORDER BY x.a': 'SELECT "x"."a" AS "n" FROM "p_t" AS "x" ORDER BY 1',
  'SELECT count(*) FILTER (WHERE b > 1) FROM t':
    'SELECT count(*) FILTER (WHERE true AND ("b" > 1)) FROM "p_t" AS "t"',
  'SELECT approx_distinct(a) FROM t': 'SELECT count(DISTINCT "a") FROM "p_t" AS "t"',
  'SELECT a, count(*) FROM t GROUP BY ALL': 'SELECT "a", count(*) FROM "p_t" AS "t" GROUP BY 1',
  "SELECT a FROM t WHERE a LIKE 'x%' AND b NOT IN (1, 2) AND b BETWEEN 1 AND 9":
    'SELECT "a" FROM "p_t" AS "t" WHERE (("a" LIKE \'x%\') AND ("b" NOT IN (1, 2)) AND ("b" BETWEEN 1 AND 9))',
  "SELECT DATE '2020-01-02', 1.50, 9007199254740993, 'it''s'":
    "SELECT DATE '2020-01-02', 1.50, 9007199254740993, 'it''s'",
  'SELECT a FROM t LEFT JOIN (SELECT a FROM t) u USING (a) LIMIT 3 OFFSET 1':
    'SELECT "a" FROM "p_t" AS "t" LEFT JOIN (SELECT "a" FROM "p_t" AS "t") AS "u" USING ("a") OFFSET 1 LIMIT 3',
  'SELECT a FROM t UNION ALL SELECT b FROM t':
    'SELECT "a" FROM "p_t" AS "t" UNION ALL SELECT "b" FROM "p_t" AS "t"',
};

test('a statement is printed over the relations of its tables', async () => {
  for (const [statement, expected] of Object.entries(printed))
    assert.equal(await translate(statement), `WITH ${viewText} ${expected}`, statement);
});

test('the WITH queries of a statement follow those of its tables', async () => {
  const text = await translate('WITH u AS (SELECT a FROM t) SELECT a FROM u');
  assert.equal(text, `WITH ${viewText}, "u" AS (SELECT "a" FROM "p_t" AS "t") SELECT "a" FROM "u"`);
});

/** Parts of statements that have another meaning or no equal on Trino. */
const refused = [
  'SELECT approx_percentile(b, 0.5) FROM t',
  'SELECT typeof(a) FROM t',
  'SELECT CAST(b AS VARCHAR) FROM t',
  'SELECT * EXCLUDE (a) FROM t',
  'SELECT DISTINCT ON (a) a, b FROM t',
  'SELECT a FROM t QUALIFY row_number() OVER () = 1',
  'SELECT a FROM t SEMI JOIN (SELECT a FROM t) u USING (a)',
  'SELECT a FROM t TABLESAMPLE 10%',
  'SELECT a FROM t ORDER BY ALL',
  'SELECT a FROM t LIMIT 10%',
  "SELECT a FROM t WHERE a SIMILAR TO 'x'",
  'SELECT sha256(a) FROM t',
  'SELECT arg_max(a, b) FROM t',
  "SELECT DATE '2020-01-01' + INTERVAL 1 DAY",
  'SELECT {a: 1}',
  'SELECT a FROM q_1.t',
  'SELECT a FROM lake.t',
  'SELECT a FROM other',
];

test('a part without an equal is refused', async () => {
  for (const statement of refused) await assert.rejects(translate(statement), Untranslatable, statement);
});

test('rows of restricted callers are chosen behind a barrier', async () => {
  const restricted: RemoteView = {
    name: 't',
    sql: 'SELECT * FROM "_t"',
    settled: { name: '_t', sql: `SELECT "a", "b" FROM (SELECT * FROM lake."t") WHERE a = 'p1'` },
    columns: ['a', 'b'],
  };
  assert.equal(
    await translate('SELECT b FROM t', [restricted]),
    `WITH "p__t" AS (SELECT if(random() < 2, "a") AS "a", if(random() < 2, "b") AS "b" FROM (SELECT "a", "b" FROM (SELECT * FROM "q_1"."t" AS "t") WHERE ("a" = 'p1'))), "p_t" AS (SELECT * FROM "p__t" AS "_t") SELECT "b" FROM "p_t" AS "t"`,
  );
});

test('the result of a masked reader is sorted, and what shows the order of rows is refused', async () => {
  const text = await translate('SELECT a FROM t', [view], true);
  assert.equal(text, `WITH ${viewText} SELECT "a" FROM "p_t" AS "t" ORDER BY 1`);
  await assert.rejects(translate('SELECT a, row_number() OVER () FROM t', [view], true), Untranslatable);
});
