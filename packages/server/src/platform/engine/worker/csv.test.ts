import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DuckdbSql } from '../duckdb.ts';
import { type Lake, makeLake, openSql } from '../engine.fixture.ts';
import { copyToCsv, uniqueNames } from './csv.ts';

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

async function csvOf(statement: string): Promise<string> {
  const path = join(lake.folder, 'out.csv');
  await sql.run(copyToCsv(statement, await sql.columns(statement), path));
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
  ["'nan'::DOUBLE", 'nan'],
  ["'-infinity'::DOUBLE", '-inf'],
  ["DATE '2020-02-29'", '2020-02-29'],
  ["TIME '01:02:03.5'", '01:02:03.5'],
  ["TIMESTAMP '2020-01-02 03:04:05'", '2020-01-02T03:04:05Z'],
  ["TIMESTAMP '2020-01-02 03:04:05.678901'", '2020-01-02T03:04:05.678901Z'],
  ["TIMESTAMP_S '2020-01-02 03:04:05'", '2020-01-02T03:04:05Z'],
  ["TIMESTAMP_MS '2020-01-02 03:04:05.600'", '2020-01-02T03:04:05.6Z'],
  ["TIMESTAMP_NS '2020-01-02 03:04:05.123456789'", '2020-01-02T03:04:05.123456789Z'],
  ["TIMESTAMPTZ '2020-01-02 03:04:05+02'", '2020-01-02T01:04:05Z'],
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
];

for (const [value, field] of values) {
  test(`${value} is written as ${JSON.stringify(field)}`, async () => {
    assert.equal(await csvOf(`SELECT 1 AS first, ${value} AS v, 2 AS last`), `first,v,last\n1,${field},2\n`);
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

test('the same name twice and expressions without a name get names of their own', async () => {
  assert.equal(await csvOf('SELECT 1 AS a, 2 AS a, 3 AS A, 4 AS a_1'), 'a,a_2,A_3,a_1\n1,2,3,4\n');
  assert.equal(await csvOf('SELECT count(*), 1 + 1'), 'count_star(),(1 + 1)\n1,2\n');
  assert.deepEqual(uniqueNames(['', '', 'column_2']), ['column_1', 'column_2', 'column_2_1']);
});

test('rows keep the order of the statement', async () => {
  const csv = await csvOf('SELECT range AS n FROM range(300000) ORDER BY n DESC');
  const lines = csv.split('\n');
  assert.equal(lines.length, 300_002);
  assert.ok(lines.slice(1, -1).every((line, index) => Number(line) === 299_999 - index));
});
