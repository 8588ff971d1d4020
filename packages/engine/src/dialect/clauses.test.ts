/** Every clause and type of Presto's SELECT works, or is refused with what to write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grammar } from '../guard/grammar.ts';
import { walk } from '../guard/tree.ts';
import { useDialect } from './dialect.fixture.ts';

const { resultOf, treeOf } = useDialect();

const numbers = 'FROM (VALUES 1, 2, 2) AS t(x)';
const codings = `FROM (VALUES ('{"coding": [{"system": "s", "code": "a"}, {"system": "s", "code": "b"}]}')) AS o(data)
  CROSS JOIN UNNEST(CAST(json_extract(data, '$.coding') AS ARRAY(ROW(system VARCHAR, code VARCHAR))))`;
const rows = "ARRAY[CAST(ROW('a', 1) AS ROW(x VARCHAR, y INTEGER))";

/** Clauses with a statement and its rows, or the remedy of its refusal. */
const clauses: readonly [clause: string, statement: string, answer: string | RegExp][] = [
  ['ALL', `SELECT ALL x ${numbers}`, '1;2;2'],
  ['DISTINCT', `SELECT DISTINCT x ${numbers} ORDER BY x`, '1;2'],
  ['row.*', 'SELECT r.* FROM (SELECT CAST(ROW(1, 2) AS ROW(a INTEGER, b INTEGER)) AS r)', '1,2'],
  ['(expression).*', 'SELECT CAST(ROW(1) AS ROW(a INTEGER)).*', /query within FROM/],
  ['field', 'SELECT CAST(ROW(1, 2) AS ROW(a INTEGER, b INTEGER)).b', '2'],
  ['VALUES of columns', 'VALUES (1, 2), (3, 4)', '1,2;3,4'],
  ['VALUES of values', 'VALUES 1, (1 + 2) * 3', '1;9'],
  ['VALUES ROW', "VALUES ROW(1, 'a'), ROW(2, 'b')", '1,a;2,b'],
  ['VALUES in IN', 'SELECT 2 IN (VALUES 1, 2)', 'true'],
  ['VALUES in WITH', 'WITH t(x) AS (VALUES 1, 2 UNION ALL VALUES 3) SELECT sum(x) FROM t', '6'],
  ['a column values', 'SELECT values FROM (VALUES (1)) AS t(values)', '1'],
  ['TABLE', 'WITH t AS (SELECT 1 AS x) TABLE t', '1'],
  [
    'WITH RECURSIVE',
    'WITH RECURSIVE t(n) AS (VALUES 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT sum(n) FROM t',
    '6',
  ],
  ['WITH FUNCTION', 'WITH FUNCTION f(x INTEGER) RETURNS INTEGER RETURN x SELECT f(1)', /where it is used/],
  ['WITH SESSION', 'WITH SESSION a = 1 SELECT 1', /no properties/],
  ['WHERE EXISTS', `SELECT count(*) ${numbers} WHERE EXISTS (SELECT 1 WHERE x = 1)`, '1'],
  ['ALL of a query', `SELECT count(*) ${numbers} WHERE x >= ALL (SELECT 2)`, '2'],
  ['GROUP BY', `SELECT x, count(*) ${numbers} GROUP BY x ORDER BY 1`, '1,1;2,2'],
  ['GROUP BY ALL', `SELECT x, count(*) ${numbers} GROUP BY ALL x ORDER BY 1`, '1,1;2,2'],
  ['GROUP BY AUTO', `SELECT x, count(*) ${numbers} GROUP BY AUTO ORDER BY 1`, '1,1;2,2'],
  ['GROUP BY DISTINCT', `SELECT x ${numbers} GROUP BY DISTINCT ROLLUP (x)`, /each set once/],
  ['GROUP BY ()', `SELECT count(*) ${numbers} GROUP BY ()`, '3'],
  ['ROLLUP', `SELECT x, count(*) ${numbers} GROUP BY ROLLUP (x) ORDER BY 1`, '1,1;2,2;,3'],
  ['CUBE', `SELECT grouping(x), count(*) ${numbers} GROUP BY CUBE (x) ORDER BY 1, 2`, '0,1;0,2;1,3'],
  [
    'GROUPING SETS',
    `SELECT x, count(*) ${numbers} GROUP BY GROUPING SETS ((x), ()) ORDER BY 1`,
    '1,1;2,2;,3',
  ],
  ['HAVING', `SELECT x ${numbers} GROUP BY x HAVING count(*) > 1`, '2'],
  ['WINDOW', `SELECT sum(x) OVER w ${numbers} WINDOW w AS (ORDER BY x ROWS 1 PRECEDING)`, '1;3;4'],
  [
    'window of a window',
    `SELECT sum(x) OVER (w ROWS 1 PRECEDING) ${numbers} WINDOW w AS (ORDER BY x)`,
    '1;3;4',
  ],
  [
    'GROUPS',
    `SELECT sum(x) OVER (ORDER BY x GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) ${numbers}`,
    '1;5;5',
  ],
  ['IGNORE NULLS', `SELECT lag(x) IGNORE NULLS OVER (ORDER BY x) ${numbers}`, ';1;2'],
  ['UNION', `SELECT x ${numbers} UNION DISTINCT SELECT 3 ORDER BY 1`, '1;2;3'],
  ['INTERSECT, EXCEPT', 'SELECT 1 INTERSECT ALL (SELECT 1 EXCEPT SELECT 2)', '1'],
  ['CORRESPONDING', 'SELECT 1 AS a UNION CORRESPONDING SELECT 2 AS a', /in one order/],
  ['ORDER BY', `SELECT DISTINCT x ${numbers} ORDER BY x DESC NULLS FIRST`, '2;1'],
  ['OFFSET, FETCH', `SELECT x ${numbers} ORDER BY x OFFSET 1 ROW FETCH FIRST 1 ROW ONLY`, '2'],
  ['OFFSET, LIMIT', `SELECT x ${numbers} ORDER BY x OFFSET 1 ROWS LIMIT 1`, '2'],
  ['LIMIT ALL', `SELECT x ${numbers} ORDER BY x LIMIT ALL`, '1;2;2'],
  ['WITH TIES', `SELECT x ${numbers} ORDER BY x FETCH FIRST 1 ROW WITH TIES`, /rank\(\)/],
  ['JOIN USING', 'SELECT x FROM (VALUES 1) AS a(x) JOIN (VALUES 1) AS b(x) USING (x)', '1'],
  [
    'FULL JOIN',
    'SELECT * FROM (VALUES 1) AS a(x) FULL OUTER JOIN (VALUES 2) AS b(y) ON x = y ORDER BY 1',
    '1,;,2',
  ],
  ['NATURAL JOIN', 'SELECT * FROM (VALUES 1) AS a(x) NATURAL JOIN (VALUES 1) AS b(x)', '1'],
  ['LATERAL', 'SELECT * FROM (VALUES 1) AS a(x) CROSS JOIN LATERAL (SELECT x + 1 AS y)', '1,2'],
  ['TABLESAMPLE', `SELECT count(*) ${numbers} TABLESAMPLE BERNOULLI (100)`, '3'],
  ['TABLE(…)', 'SELECT * FROM TABLE(sequence(1, 3))', /UNNEST\(sequence/],
  ['FOR … AS OF', "SELECT * FROM t FOR TIMESTAMP AS OF DATE '2024-01-01'", /present data/],
  ['MATCH_RECOGNIZE', `SELECT * ${numbers} MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS true)`, /lag and lead/],
  ['UNNEST of rows', `SELECT c.system, c.code ${codings} AS c(system, code) ORDER BY 2`, 's,a;s,b'],
  ['UNNEST, a field counted', `SELECT count(DISTINCT c.system) ${codings} AS c(system, code)`, '1'],
  ['UNNEST without names', `SELECT c.code ${codings} AS c ORDER BY 1`, 'a;b'],
  ['UNNEST of one field', "SELECT c FROM UNNEST(ARRAY[CAST(ROW('a') AS ROW(x VARCHAR))]) AS t(c)", 'a'],
  [
    'UNNEST of a missing row',
    `SELECT * FROM UNNEST(${rows}, NULL]) WITH ORDINALITY AS t(a, b, n)`,
    'a,1,1;,,2',
  ],
  [
    'UNNEST of lists',
    'SELECT l, n FROM UNNEST(ARRAY[ARRAY[1, 2], ARRAY[3]]) WITH ORDINALITY AS t(l, n)',
    '"[1,2]",1;[3],2',
  ],
  ['UNNEST of lists without names', 'SELECT * FROM UNNEST(ARRAY[ARRAY[1, 2], ARRAY[3]])', '"[1,2]";[3]'],
  ['UNNEST of a map', "SELECT k, v FROM UNNEST(MAP(ARRAY['a', 'b'], ARRAY[1, 2])) AS t(k, v)", 'a,1;b,2'],
  ['UNNEST of several', "SELECT * FROM UNNEST(ARRAY[1, 2], ARRAY[ROW('a', 1)]) AS t(a, x, y)", '1,a,1;2,,'],
  [
    'LEFT JOIN UNNEST',
    'SELECT * FROM (VALUES 1) AS o(i) LEFT JOIN UNNEST(CAST(NULL AS ARRAY(ROW(a INTEGER, b INTEGER)))) AS t(a, b) ON true',
    '1,,',
  ],
  [
    'FILTER, ORDER BY in an aggregate',
    `SELECT count(*) FILTER (WHERE x > 1), array_agg(x ORDER BY x DESC) ${numbers}`,
    '2,"[2,2,1]"',
  ],
  ['WITHIN GROUP', `SELECT listagg(CAST(x AS VARCHAR), ',') WITHIN GROUP (ORDER BY x) ${numbers}`, '"1,2,2"'],
  ['ON OVERFLOW', "SELECT listagg('a', ',' ON OVERFLOW ERROR) WITHIN GROUP (ORDER BY 1)", /any length/],
  ['AND, OR, BETWEEN', 'SELECT 2 BETWEEN 1 AND 3 AND (1 NOT BETWEEN 2 AND 3 OR false)', 'true'],
  ['BETWEEN SYMMETRIC', 'SELECT 1 BETWEEN SYMMETRIC 2 AND 0', /least\(a, b\)/],
  ['IS DISTINCT FROM, IS UNKNOWN', 'SELECT 1 IS DISTINCT FROM NULL, true IS NOT UNKNOWN', 'true,true'],
  ['ESCAPE', "SELECT 'a_b' LIKE 'a!_b' ESCAPE '!'", 'true'],
  [
    'CASE, TRY',
    "SELECT CASE 1 WHEN 1 THEN 'a' END, TRY(CAST('a' AS INTEGER)), TRY_CAST('a' AS INTEGER)",
    'a,,',
  ],
  ['COLLATE', "SELECT 'a' = 'A' COLLATE NOCASE", 'true'],
  ['QUALIFY', `SELECT x ${numbers} QUALIFY row_number() OVER (ORDER BY x) = 1`, '1'],
  ['PIVOT', `PIVOT (SELECT x ${numbers}) ON x IN (1, 2) USING count(*)`, '1,2'],
  ['LIMIT of a part', `SELECT count(*) FROM (SELECT x ${numbers} LIMIT 100%)`, '3'],
  ['place in the list', `SELECT #1 ${numbers} ORDER BY 1 LIMIT 1`, '1'],
  ['lambda', 'SELECT reduce(ARRAY[1, 2], 0, (s, x) -> s + x, s -> s)', '3'],
  ['json_object', "SELECT json_object('a' : 1, KEY 'b' VALUE NULL NULL ON NULL)", '"{""a"":1,""b"":null}"'],
  ['json_object without nulls', "SELECT json_object('a' : 1 ABSENT ON NULL)", /CASE/],
  ['json_query', `SELECT json_query('{"a": ["x"]}', 'lax $.a')`, '"[""x""]"'],
  ['WRAPPER', `SELECT json_query('{"a": [1]}', 'lax $.a[*]' WITH ARRAY WRAPPER)`, /json_extract/],
  ['RETURNING', `SELECT json_value('{"a": 1}', 'lax $.a' RETURNING INTEGER)`, /CAST/],
  ['ON EMPTY', `SELECT json_value('{}', 'lax $.a' DEFAULT 'x' ON EMPTY)`, /coalesce/],
  ['json_exists', `SELECT json_exists('{"a": 1}', 'lax $.a')`, 'true'],
  [
    'JSON_TABLE',
    "SELECT * FROM JSON_TABLE('[1]', 'lax $[*]' COLUMNS (a INTEGER PATH 'lax $'))",
    /UNNEST\(CAST/,
  ],
  ['look-ahead', "SELECT regexp_like('ab', 'a(?=b)')", /two conditions/],
  ['look-behind', "SELECT regexp_replace('ab', '(?<!x)b', 'c')", /two conditions/],
  ['group in a pattern', String.raw`SELECT regexp_like('aa', '(a)\1')`, /two conditions/],
  [
    'signs of look-ahead as letters',
    String.raw`SELECT regexp_like('a(?=', '\(\?='), regexp_like('?=', '[(?=]')`,
    'true,true',
  ],
  ['BOOLEAN', "SELECT BOOLEAN 'true', true, NOT false", 'true,true,true'],
  ['integers', "SELECT TINYINT '1', SMALLINT '1', INTEGER '1', BIGINT '1', 1_000", '1,1,1,1,1000'],
  ['digits of other bases', 'SELECT 0x1F, 0b11, 0o17, 0x1_f', '31,3,15,31'],
  [
    'REAL, DOUBLE, DECIMAL',
    "SELECT REAL '1.5', DOUBLE '1.5', 1e0, CAST(1 AS DECIMAL(5, 2))",
    '1.5,1.5,1.0,1.00',
  ],
  ['NUMBER', 'SELECT CAST(1 AS NUMBER)', /NUMBER/],
  ['VARCHAR, CHAR', String.raw`SELECT VARCHAR 'a', CAST('a' AS CHAR(3)), U&'\00e9'`, 'a,a,é'],
  ['UESCAPE', "SELECT U&'!00e9' UESCAPE '!'", /write \\/],
  ['VARBINARY', "SELECT X'41', CAST('a' AS VARBINARY)", 'QQ==,YQ=='],
  [
    'DATE, TIME',
    "SELECT DATE '2024-01-01', TIME '01:02:03.456', CAST('01:00' AS TIME(3))",
    '2024-01-01,01:02:03.456,01:00:00',
  ],
  [
    'TIME WITH TIME ZONE',
    "SELECT TIME '01:02:03+02:00', CAST('01:00' AS TIME WITH TIME ZONE)",
    '01:02:03+02,01:00:00+00',
  ],
  [
    'TIMESTAMP',
    "SELECT CAST('2024-01-01 00:00:00.123456' AS TIMESTAMP(3)), TIMESTAMP '2024-01-01 00:00:00+02:00'",
    '2024-01-01T00:00:00.123Z,2023-12-31T22:00:00.000Z',
  ],
  ['clock with a precision', 'SELECT CURRENT_TIMESTAMP(3) IS NULL, LOCALTIMESTAMP(3) IS NULL', 'false,false'],
  ['INTERVAL', "SELECT INTERVAL '1' DAY, INTERVAL '2' YEAR", '1 day,2 years'],
  ['YEAR TO MONTH', "SELECT INTERVAL '1-2' YEAR TO MONTH", /'14' MONTH/],
  ['DAY TO SECOND', "SELECT INTERVAL '1 02:03:04' DAY TO SECOND", /'93784' SECOND/],
  ['JSON', `SELECT JSON '{"a":1}', CAST(JSON '[1]' AS ARRAY(INTEGER))`, '"{""a"":1}",[1]'],
  ['ARRAY, MAP, ROW', "SELECT ARRAY[1, 2][2], MAP(ARRAY['a'], ARRAY[1])['a'], ROW(1, 2)[1]", '2,1,1'],
  ['UUID', "SELECT UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'", '12151fd2-7586-11e9-8f9e-2a86e4085a59'],
  ['IPADDRESS', "SELECT IPADDRESS '10.0.0.1'", /IPADDRESS/],
  ['EXPLAIN', 'EXPLAIN SELECT 1', /only a SELECT/],
  ['INSERT', 'INSERT INTO t SELECT 1', /only a SELECT/],
];

for (const [clause, statement, answer] of clauses)
  test(`${clause}: ${statement}`, async () => {
    if (typeof answer === 'string') assert.equal(await resultOf(statement), answer);
    else await assert.rejects(resultOf(statement), { message: answer });
  });

test('each kind of node that a statement may use is in a statement of the table', async () => {
  const seen = new Set<unknown>();
  for (const [, statement, answer] of clauses)
    if (typeof answer === 'string')
      walk(await treeOf(statement), ({ node }) => {
        seen.add(node['class']);
        seen.add(node['type']);
        return true;
      });
  const kinds = (['query', 'modifier', 'table', 'expression'] as const).flatMap((family) =>
    Object.keys(grammar[family].kinds),
  );
  assert.deepEqual(
    kinds.filter((kind) => !seen.has(kind)),
    [],
  );
});
