import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DuckdbSql } from '../duckdb.ts';
import { type Lake, makeLake, openSql } from '../engine.fixture.ts';
import { headersOf } from './column-names.ts';
import type { TimestampForm } from './csv.ts';
import { planResult } from './result-file.ts';

let lake: Lake;
let sql: DuckdbSql;

before(async () => {
  lake = await makeLake();
  sql = await openSql(lake.folder);
  await sql.run("SET TimeZone = 'UTC'");
});

after(async () => {
  sql.close();
  await lake.remove();
});

async function csvOf(statement: string, timestamps: TimestampForm = 'utc'): Promise<string> {
  const path = join(lake.folder, 'out.csv');
  await (await planResult(sql, statement, path, { timestamps })).write();
  return await readFile(path, 'utf8');
}

const values: [string, string][] = [
  ['NULL::VARCHAR', ''],
  ["''", '""'],
  ["'plain'", 'plain'],
  ["' blanks '", ' blanks '],
  ["'a,b'", '"a,b"'],
  [`'say "x"'`, '"say ""x"""'],
  ["E'line 1\\nline 2'", '"line 1\nline 2"'],
  ["E'a\\r\\nb'", '"a\r\nb"'],
  ["E'a\\rb'", '"a\rb"'],
  ["'a' || chr(0) || 'b'", 'a\u0000b'],
  ["E'a\\tb'", 'a\tb'],
  ["'NULL'", 'NULL'],
  ["'ünï 😀'", 'ünï 😀'],
  ["'=1+1'", '=1+1'],
  ['true', 'true'],
  ['false', 'false'],
  ['NULL::BOOLEAN', ''],
  ['42', '42'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['170141183460469231731687303715884105727', '170141183460469231731687303715884105727'],
  ['18446744073709551615::UBIGINT', '18446744073709551615'],
  ['1.50::DECIMAL(10, 2)', '1.50'],
  ['0.1::DOUBLE', '0.1'],
  ['0.1::FLOAT', '0.1'],
  ['1e300', '1e+300'],
  ["'nan'::DOUBLE", 'NaN'],
  ["'-nan'::FLOAT", 'NaN'],
  ["-('nan'::DOUBLE)", 'NaN'],
  ['pow(-8, 1e0 / 3)', 'NaN'],
  ['NULL::DOUBLE', ''],
  ['[0.1::FLOAT, NULL]', '"[0.1,null]"'],
  ["{'x': 16777216::FLOAT, 'y': ['infinity'::FLOAT, 1e30::FLOAT]}", '"{""x"":16777216.0,""y"":[null,1e30]}"'],
  ["'-infinity'::DOUBLE", '-Infinity'],
  ["'infinity'::FLOAT", 'Infinity'],
  ["DATE '2020-02-29'", '2020-02-29'],
  ["TIME '01:02:03.5'", '01:02:03.5'],
  ["TIMESTAMP '2020-01-02 03:04:05'", '2020-01-02T03:04:05.000Z'],
  ["TIMESTAMP '2020-01-02 03:04:05.678901'", '2020-01-02T03:04:05.678Z'],
  ["TIMESTAMP_S '2020-01-02 03:04:05'", '2020-01-02T03:04:05.000Z'],
  ["TIMESTAMP_MS '2020-01-02 03:04:05.600'", '2020-01-02T03:04:05.600Z'],
  ["TIMESTAMP_NS '2020-01-02 03:04:05.123456789'", '2020-01-02T03:04:05.123Z'],
  ["TIMESTAMPTZ '2020-01-02 03:04:05+02'", '2020-01-02T01:04:05.000Z'],
  ["TIMESTAMP 'infinity'", 'infinity'],
  ['NULL::TIMESTAMP', ''],
  ["INTERVAL '1 month 2 days 3 hours'", '1 month 2 days 03:00:00'],
  ["'ab\\xFF'::BLOB", 'YWL/'],
  ["'5f0cbb3e-7d3b-4e4a-8f2a-1b2c3d4e5f60'::UUID", '5f0cbb3e-7d3b-4e4a-8f2a-1b2c3d4e5f60'],
  ["'101'::BIT", '101'],
  ["'low'::ENUM ('low', 'high')", 'low'],
  ['[1, 2]', '"[1,2]"'],
  ["['a', NULL, 'b\"c']", '"[""a"",null,""b\\""c""]"'],
  ['[1, 2]::INTEGER[2]', '"[1,2]"'],
  ['[]::INTEGER[]', '[]'],
  ["{'a': 1, 'b': {'c': [true]}}", '"{""a"":1,""b"":{""c"":[true]}}"'],
  ["map {'k': 1}", '"{""k"":1}"'],
  ['\'{"a": 1}\'::JSON', '"{""a"": 1}"'],
  ['[1.50::DECIMAL(10, 2)]', '[1.5]'],
  ['NULL::INTEGER[]', ''],
  ["DATE '0044-03-15 (BC)'", '-0043-03-15'],
  ["DATE '0001-12-31 (BC)'", '0000-12-31'],
  ["DATE '0033-04-03'", '0033-04-03'],
  ["DATE '12345-01-02'", '12345-01-02'],
  ["DATE 'infinity'", 'infinity'],
  ["DATE '-infinity'", '-infinity'],
  ['NULL::DATE', ''],
  ["TIMESTAMP '0044-03-15 (BC) 01:02:03.5'", '-0043-03-15T01:02:03.500Z'],
  ["TIMESTAMP '-infinity'", '-infinity'],
  ["TIMETZ '01:02:03+02'", '01:02:03+02'],
  ['340282366920938463463374607431768211455::UHUGEINT', '340282366920938463463374607431768211455'],
  ['99999999999999999999999999999999999.123::DECIMAL(38, 3)', '99999999999999999999999999999999999.123'],
  ['[170141183460469231731687303715884105727]', '[170141183460469231731687303715884105727]'],
  ["[TIMESTAMP '2020-01-02 03:04:05.6', NULL]", '"[""2020-01-02T03:04:05.600Z"",null]"'],
  [
    "{'b': 'a\\xFF'::BLOB, 'n': 'nan'::DOUBLE, 'd': DATE '2020-01-01'}",
    '"{""b"":""Yf8="",""n"":null,""d"":""2020-01-01""}"',
  ],
  ["[{'at': TIMESTAMP '2020-01-02 03:04:05'}, NULL]", '"[{""at"":""2020-01-02T03:04:05.000Z""},null]"'],
  ["map {'k': [TIMESTAMP '2020-01-02 03:04:05']}", '"{""k"":[""2020-01-02T03:04:05.000Z""]}"'],
  ["map {DATE '2020-01-02': 1.5::DOUBLE}", '"{""2020-01-02"":1.5}"'],
  ['NULL::STRUCT(a TIMESTAMP)', ''],
  ['union_value(k := 1)', '"{""k"":1}"'],
];

for (const [value, field] of values) {
  test(`${value} is written as ${JSON.stringify(field)}`, async () => {
    assert.equal(await csvOf(`SELECT 1 AS first, ${value} AS v, 2 AS last`), `first,v,last\n1,${field},2\n`);
  });
}

/** Timestamps in the form `exact`. */
const exact: [string, string][] = [
  ["TIMESTAMP '2020-01-02 03:04:05.678901'", '2020-01-02T03:04:05.678901'],
  ["TIMESTAMP '2020-01-02 03:04:05'", '2020-01-02T03:04:05.000000'],
  ["TIMESTAMP_S '2020-01-02 03:04:05'", '2020-01-02T03:04:05'],
  ["TIMESTAMP_MS '2020-01-02 03:04:05.6'", '2020-01-02T03:04:05.600'],
  ["TIMESTAMP_NS '2020-01-02 03:04:05.123456789'", '2020-01-02T03:04:05.123456789'],
  ["TIMESTAMPTZ '2020-01-02 03:04:05.678901+02'", '2020-01-02T01:04:05.678901Z'],
  ["TIMESTAMP '0044-03-15 (BC) 01:02:03.000005'", '-0043-03-15T01:02:03.000005'],
  ["TIMESTAMP 'infinity'", 'infinity'],
  ["DATE '2020-02-29'", '2020-02-29'],
  ["TIME '01:02:03.5'", '01:02:03.5'],
  ["[TIMESTAMP '2020-01-02 03:04:05.000001', NULL]", '"[""2020-01-02T03:04:05.000001"",null]"'],
  ["{'z': TIMESTAMPTZ '2020-01-02 03:04:05+02'}", '"{""z"":""2020-01-02T01:04:05.000000Z""}"'],
];

for (const [value, field] of exact) {
  test(`${value} is exactly ${JSON.stringify(field)}`, async () => {
    assert.equal(await csvOf(`SELECT 1 AS a, ${value} AS v`, 'exact'), `a,v\n1,${field}\n`);
  });
}

test('a result without rows is its header', async () => {
  assert.equal(await csvOf('SELECT 1 AS a, 2 AS b WHERE false'), 'a,b\n');
});

test('a column alone that is NULL or empty still makes a line', async () => {
  assert.equal(await csvOf("SELECT * FROM (VALUES (NULL), (''), ('x')) AS v(a)"), 'a\n\n""\nx\n');
});

test('headers are quoted like values', async () => {
  assert.equal(
    await csvOf('SELECT 1 AS "a,b", 2 AS "c""d", 3 AS "e\nf", 4 AS select_'),
    '"a,b","c""d","e\nf",select_\n1,2,3,4\n',
  );
});

const headers: [string, string][] = [
  ['SELECT 1 AS a, 2 AS a, 3 AS A, 4 AS a_2', 'a,a_3,A_4,a_2'],
  ['SELECT count(*), count(*), sum(a) FROM (SELECT 1 AS a)', 'count,count_2,sum'],
  [
    'SELECT count(*) FILTER (WHERE a > 1), max(a) OVER (), count(DISTINCT a) FROM (SELECT 1 AS a) GROUP BY a',
    'count,max,count_2',
  ],
  ['SELECT 1 + 1, 2, a + 1, NOT true FROM (SELECT 1 AS a)', 'column_1,column_2,column_3,column_4'],
  [
    "SELECT a::VARCHAR, sum(a + 1)::DECIMAL(10, 2), lower('X') FROM (SELECT 1 AS a) GROUP BY a",
    'a,sum,lower',
  ],
  ['SELECT * FROM (SELECT count(*) FROM range(3))', 'count'],
  ['SELECT count(*) AS "count_star()", sum(1) AS "sum(1)"', 'count_star(),sum(1)'],
  ['SELECT * FROM (SELECT 1) AS t("a (b)")', 'a (b)'],
  ['WITH t("x + y") AS (SELECT 1) SELECT * FROM t', 'x + y'],
  ['SELECT count(*) UNION ALL SELECT 2', 'count'],
  ['SELECT * FROM (VALUES (1, 2))', 'col0,col1'],
  ['VALUES (1, 2)', 'col0,col1'],
  ['SELECT arg_max_null(a, a), arg_min_null(a, a) + 1 FROM (SELECT 1 AS a)', 'max_by,column_2'],
  ['SELECT col1, * FROM (VALUES (1, 2))', 'col1,col0,col1_2'],
  ['SELECT NULL, CAST(NULL AS INTEGER), TRY_CAST(NULL AS DATE), NULL AS n', 'column_1,column_2,column_3,n'],
];

for (const [statement, header] of headers) {
  test(`the header of ${statement} is ${header}`, async () => {
    assert.equal((await csvOf(statement)).split('\n')[0], header);
  });
}

test('rows keep the order of the statement', async () => {
  const csv = await csvOf('SELECT range AS n FROM range(300000) ORDER BY n DESC');
  const lines = csv.split('\n');
  assert.equal(lines.length, 300_002);
  assert.ok(lines.slice(1, -1).every((line, index) => Number(line) === 299_999 - index));
});

test('a column of a table keeps its name in the letters of any script', () => {
  const names = ['größe_cm', '体重', 'वज़न', 'col1', 'c_2019'];
  assert.deepEqual(headersOf(names, new Set()), names);
});

test('an expression of any length gets its header in linear time', () => {
  assert.deepEqual(headersOf([`CAST(x || upper('${' AS T'.repeat(500_000)}') AS DATE) || 'y'`], new Set()), [
    'cast',
  ]);
});
