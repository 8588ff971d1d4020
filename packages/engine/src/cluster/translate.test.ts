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

const columns = [
  { name: 'a', type: 'VARCHAR' },
  { name: 'b', type: 'BIGINT' },
  { name: 'x', type: 'DOUBLE' },
];
const view: RemoteView = { name: 't', sql: 'SELECT "a", "b", "x" FROM lake."t"', columns };
const viewText = '"p_t" AS (SELECT "a", "b", "x" FROM "q_1"."t" AS "t")';

const translate = (
  statement: string,
  types: string[],
  { views = [view], isMasked = false }: { views?: RemoteView[]; isMasked?: boolean } = {},
): Promise<string> => translateStatement({ sql: statement, isMasked, views, namespace: 'q_1', types }, trees);

/** Printed statements without the WITH queries of their tables, after the types of their columns. */
const printed: Readonly<Record<string, [string, string]>> = {
  'SELECT a FROM t': ['VARCHAR', 'SELECT "a" FROM "p_t" AS "t"'],
  'SELECT u.a AS n FROM t u ORDER BY u.a': ['VARCHAR', 'SELECT "u"."a" AS "n" FROM "p_t" AS "u" ORDER BY 1'],
  'SELECT count(*) FILTER (WHERE b > 1) FROM t': [
    'BIGINT',
    'SELECT count(*) FILTER (WHERE true AND ("b" > CAST(1 AS BIGINT))) FROM "p_t" AS "t"',
  ],
  'SELECT approx_distinct(a) FROM t': ['BIGINT', 'SELECT count(DISTINCT "a") FROM "p_t" AS "t"'],
  'SELECT a, count(*) FROM t GROUP BY ALL': [
    'VARCHAR BIGINT',
    'SELECT "a", count(*) FROM "p_t" AS "t" GROUP BY 1',
  ],
  'SELECT substr(a, 1, 3) AS part, count(*) FROM t GROUP BY part': [
    'VARCHAR BIGINT',
    'SELECT substr("a", 1, 3) AS "part", count(*) FROM "p_t" AS "t" GROUP BY 1',
  ],
  "SELECT a FROM t WHERE a LIKE 'x%' AND a NOT IN ('y', 'z')": [
    'VARCHAR',
    `SELECT "a" FROM "p_t" AS "t" WHERE (("a" LIKE 'x%') AND (NOT ("a" IN ('y', 'z'))))`,
  ],
  "SELECT DATE '2020-01-02', 1.50, 9007199254740993, 'it''s'": [
    'DATE DECIMAL(3,2) BIGINT VARCHAR',
    "SELECT DATE '2020-01-02', CAST(1.50 AS DECIMAL(3,2)), 9007199254740993, 'it''s'",
  ],
  'SELECT a FROM t LEFT JOIN (SELECT a FROM t) u USING (a) ORDER BY 1 LIMIT 3 OFFSET 1': [
    'VARCHAR',
    'SELECT "a" FROM "p_t" AS "t" LEFT JOIN (SELECT "a" FROM "p_t" AS "t") AS "u" USING ("a") ORDER BY 1 OFFSET 1 LIMIT 3',
  ],
  'SELECT b FROM t UNION ALL SELECT b FROM t': [
    'BIGINT',
    'SELECT "b" FROM "p_t" AS "t" UNION ALL SELECT "b" FROM "p_t" AS "t"',
  ],
  'SELECT 100.0 * count(*) / 7 FROM t': [
    'DOUBLE',
    'SELECT (CAST((CAST(100.0 AS DECIMAL(4,1)) * count(*)) AS DOUBLE) / nullif(CAST(7 AS DOUBLE), 0e0)) FROM "p_t" AS "t"',
  ],
  'SELECT a FROM t ORDER BY x DESC': [
    'VARCHAR',
    'SELECT "a" FROM "p_t" AS "t" ORDER BY is_nan("x") DESC, "x" DESC',
  ],
};

test('a statement is printed over the relations of its tables', async () => {
  for (const [statement, [types, expected]] of Object.entries(printed))
    assert.equal(await translate(statement, types.split(' ')), `WITH ${viewText} ${expected}`, statement);
});

test('the WITH queries of a statement follow those of its tables', async () => {
  const text = await translate('WITH u AS (SELECT a FROM t) SELECT a FROM u', ['VARCHAR']);
  assert.equal(text, `WITH ${viewText}, "u" AS (SELECT "a" FROM "p_t" AS "t") SELECT "a" FROM "u" AS "u"`);
});

/** Parts of statements that have another meaning or no equal on Trino. */
const refused = [
  'SELECT approx_percentile(b, 0.5) FROM t',
  'SELECT typeof(a) FROM t',
  'SELECT CAST(x AS VARCHAR) FROM t',
  'SELECT sum(x) FROM t',
  'SELECT avg(x) FROM t',
  'SELECT any_value(a) FROM t',
  'SELECT array_agg(a) FROM t',
  'SELECT x, count(*) FROM t GROUP BY x',
  'SELECT a FROM t LIMIT 3',
  'SELECT a FROM t WHERE regexp_like(a, $$x$$)',
  'SELECT * FROM t JOIN t u USING (a)',
  'SELECT row_number() OVER () FROM t',
  'SELECT b FROM t UNION ALL SELECT x FROM t',
  'SELECT b || x FROM t',
  'SELECT count(*) AS n FROM t HAVING n > 1',
  'SELECT * EXCLUDE (a) FROM t',
  'SELECT DISTINCT ON (a) a, b FROM t',
  'SELECT a FROM t QUALIFY row_number() OVER (ORDER BY a) = 1',
  'SELECT a FROM t SEMI JOIN (SELECT a FROM t) u USING (a)',
  'SELECT a FROM t TABLESAMPLE 10%',
  'SELECT a FROM t ORDER BY ALL',
  'SELECT x AS a FROM t ORDER BY x',
  'SELECT * FROM t ORDER BY x',
  'SELECT x FROM t UNION ALL SELECT x FROM t ORDER BY 1',
  'SELECT a FROM t WHERE b IN (1, 2, NULL)',
  'SELECT a FROM t WHERE b = 1 OR b = 2 OR b = nullif(1, 1)',
  'SELECT a FROM t WHERE b <> NULL',
  'SELECT a FROM t LIMIT 10%',
  "SELECT a FROM t WHERE a SIMILAR TO 'x'",
  'SELECT sha256(a) FROM t',
  'SELECT arg_max(a, b) FROM t',
  "SELECT DATE '2020-01-01' + INTERVAL 1 DAY",
  'SELECT {a: 1}',
  'SELECT NULL',
  'SELECT a FROM q_1.t',
  'SELECT a FROM lake.t',
  'SELECT a FROM other',
];

test('a part without a proven equal is refused with its name', async () => {
  for (const statement of refused)
    await assert.rejects(translate(statement, ['VARCHAR']), Untranslatable, statement);
  await assert.rejects(translate('SELECT sum(x) FROM t', ['DOUBLE']), /sum of \(DOUBLE\)/);
});

test('a statement whose columns have other types than in the local engine is refused', async () => {
  await assert.rejects(translate('SELECT b FROM t', ['HUGEINT']), /BIGINT instead of HUGEINT/);
});

test('rows of restricted callers are chosen behind a barrier', async () => {
  const restricted: RemoteView = {
    name: 't',
    sql: 'SELECT * FROM "_t"',
    settled: { name: '_t', sql: `SELECT "a", "b" FROM (SELECT * FROM lake."t") WHERE a = 'p1'` },
    columns: columns.slice(0, 2),
  };
  assert.equal(
    await translate('SELECT b FROM t', ['BIGINT'], { views: [restricted] }),
    `WITH "p__t" AS (SELECT if(random() < 2, "a") AS "a", if(random() < 2, "b") AS "b" FROM (SELECT "a", "b" FROM (SELECT * FROM "q_1"."t" AS "t") WHERE ("a" = 'p1'))), "p_t" AS (SELECT * FROM "p__t" AS "_t") SELECT "b" FROM "p_t" AS "t"`,
  );
});

test('the result of a masked reader is sorted, and what shows the order of rows is refused', async () => {
  const text = await translate('SELECT a FROM t', ['VARCHAR'], { isMasked: true });
  assert.equal(text, `WITH ${viewText} SELECT "a" FROM "p_t" AS "t" ORDER BY 1`);
  const windowed = translate('SELECT row_number() OVER (ORDER BY a) FROM t', ['BIGINT'], { isMasked: true });
  await assert.rejects(windowed, /hidden rows/);
});
