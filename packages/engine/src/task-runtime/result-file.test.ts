import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Table, tableFromIPC } from 'apache-arrow';
import type { DuckdbSql } from '../duckdb.ts';
import { type Lake, makeLake, openSql } from '../engine.fixture.ts';
import type { ResultFormat } from '../engine.ts';
import { literal } from './quote.ts';
import { planResult } from './result-file.ts';

let lake: Lake;
let sql: DuckdbSql;
let files = 0;

before(async () => {
  lake = await makeLake();
  sql = await openSql(lake.folder);
  await sql.run("SET TimeZone = 'UTC'");
});

after(async () => {
  sql.close();
  await lake.remove();
});

async function written(statement: string, format: ResultFormat): Promise<{ path: string; rows: number }> {
  files += 1;
  const path = join(lake.folder, `${files}.${format}`);
  return { path, rows: await (await planResult(sql, statement, path, { format })).write() };
}

async function arrowOf(statement: string): Promise<Table> {
  const { path, rows } = await written(statement, 'arrow');
  const table = tableFromIPC(await readFile(path));
  assert.equal(table.numRows, rows);
  return table;
}

async function ndjsonOf(statement: string): Promise<string[]> {
  const { path, rows } = await written(statement, 'ndjson');
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  assert.equal(lines.length, rows);
  return lines;
}

/** Values in SQL, their types in Arrow, and as text their values in Arrow, Parquet (read by DuckDB) and JSON. */
const values: [sql: string, type: string, arrow: string, parquet: string, json: string][] = [
  ['true', 'Bool', 'true', 'BOOLEAN true', 'true'],
  ['(-128)::TINYINT', 'Int8', '-128', 'TINYINT -128', '-128'],
  ['65535::USMALLINT', 'Uint16', '65535', 'USMALLINT 65535', '65535'],
  ['(-2147483648)::INTEGER', 'Int32', '-2147483648', 'INTEGER -2147483648', '-2147483648'],
  [
    '(-9223372036854775808)::BIGINT',
    'Int64',
    '-9223372036854775808',
    'BIGINT -9223372036854775808',
    '-9223372036854775808',
  ],
  [
    '18446744073709551615::UBIGINT',
    'Uint64',
    '18446744073709551615',
    'UBIGINT 18446744073709551615',
    '18446744073709551615',
  ],
  [
    'sum(9007199254740993)',
    'Decimal[38e0]',
    '9007199254740993',
    'DECIMAL(38,0) 9007199254740993',
    '9007199254740993',
  ],
  ['0.5::FLOAT', 'Float32', '0.5', 'FLOAT 0.5', '0.5'],
  ['0.1::DOUBLE', 'Float64', '0.1', 'DOUBLE 0.1', '0.1'],
  ["'-infinity'::DOUBLE", 'Float64', '-Infinity', 'DOUBLE -inf', 'null'],
  ['-1.5::DECIMAL(4, 1)', 'Decimal[4e+1]', '-15', 'DECIMAL(4,1) -1.5', '-1.5'],
  ['-1.50::DECIMAL(9, 2)', 'Decimal[9e+2]', '-150', 'DECIMAL(9,2) -1.50', '-1.50'],
  ['-1.50::DECIMAL(18, 2)', 'Decimal[18e+2]', '-150', 'DECIMAL(18,2) -1.50', '-1.50'],
  ['-1.50::DECIMAL(38, 2)', 'Decimal[38e+2]', '-150', 'DECIMAL(38,2) -1.50', '-1.50'],
  ["'short'", 'Utf8', 'short', 'VARCHAR short', '"short"'],
  [
    "'longer than twelve bytes é'",
    'Utf8',
    'longer than twelve bytes é',
    'VARCHAR longer than twelve bytes é',
    '"longer than twelve bytes é"',
  ],
  ["''", 'Utf8', '', 'VARCHAR ', '""'],
  [
    `'a "b" \\ ' || chr(10) || chr(1)`,
    'Utf8',
    'a "b" \\ \n\u0001',
    'VARCHAR a "b" \\ \n\u0001',
    '"a \\"b\\" \\\\ \\n\\u0001"',
  ],
  ["'ab\\xFF'::BLOB", 'Binary', '97,98,255', 'BLOB ab\\xFF', '"YWL/"'],
  ["DATE '1969-12-31'", 'Date32<DAY>', '-86400000', 'DATE 1969-12-31', '"1969-12-31"'],
  ["TIME '00:00:01.5'", 'Time64<MICROSECOND>', '1500000', 'TIME 00:00:01.5', '"00:00:01.5"'],
  [
    "TIMESTAMP '1970-01-01 00:00:01.234567'",
    'Timestamp<MICROSECOND>',
    '1234.567',
    'TIMESTAMP 1970-01-01 00:00:01.234567',
    '"1970-01-01T00:00:01.234Z"',
  ],
  [
    "TIMESTAMP_S '1970-01-01 00:00:01'",
    'Timestamp<SECOND>',
    '1000',
    'TIMESTAMP 1970-01-01 00:00:01',
    '"1970-01-01T00:00:01.000Z"',
  ],
  [
    "TIMESTAMP_NS '1970-01-01 00:00:01.123456789'",
    ...['Timestamp<NANOSECOND>', '1123.456789', 'TIMESTAMP_NS 1970-01-01 00:00:01.123456789'],
    '"1970-01-01T00:00:01.123Z"',
  ] as [string, string, string, string, string],
  [
    "TIMESTAMPTZ '1970-01-01 02:00:01+02'",
    'Timestamp<MICROSECOND, UTC>',
    '1000',
    'TIMESTAMP WITH TIME ZONE 1970-01-01 00:00:01+00',
    '"1970-01-01T00:00:01.000Z"',
  ],
  ["INTERVAL '1' DAY", 'Utf8', '1 day', 'VARCHAR 1 day', '"1 day"'],
  [
    "'5f0cbb3e-7d3b-4e4a-8f2a-1b2c3d4e5f60'::UUID",
    'Utf8',
    '5f0cbb3e-7d3b-4e4a-8f2a-1b2c3d4e5f60',
    'VARCHAR 5f0cbb3e-7d3b-4e4a-8f2a-1b2c3d4e5f60',
    '"5f0cbb3e-7d3b-4e4a-8f2a-1b2c3d4e5f60"',
  ],
  ["'low'::ENUM ('low', 'high')", 'Utf8', 'low', 'VARCHAR low', '"low"'],
  [
    "['a', NULL, 'longer than twelve bytes']",
    'List<Utf8>',
    '["a",null,"longer than twelve bytes"]',
    'VARCHAR[] [a, NULL, longer than twelve bytes]',
    '["a",null,"longer than twelve bytes"]',
  ],
  ['[1, 2]::INTEGER[2]', 'List<Int32>', '[1,2]', 'INTEGER[] [1, 2]', '[1,2]'],
  [
    "{'n': 1, 't': ['x']}",
    'Struct<{n:Int32, t:List<Utf8>}>',
    '{"n":1,"t":["x"]}',
    "STRUCT(n INTEGER, t VARCHAR[]) {'n': 1, 't': [x]}",
    '{"n":1,"t":["x"]}',
  ],
  [
    "row(1, 'a')",
    'Struct<{field0:Int32, field1:Utf8}>',
    '{"field0":1,"field1":"a"}',
    "STRUCT(field0 INTEGER, field1 VARCHAR) {'field0': 1, 'field1': a}",
    '{"field0":1,"field1":"a"}',
  ],
  [
    "map {'k': 1, 'l': NULL}",
    'Map<{key:Utf8, value:Int32}>',
    '{"k":1,"l":null}',
    'MAP(VARCHAR, INTEGER) {k=1, l=NULL}',
    '{"k":1,"l":null}',
  ],
  ['\'{"a": [1]}\'::JSON', 'Utf8', '{"a": [1]}', 'JSON {"a": [1]}', '{"a": [1]}'],
];

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
    ? JSON.stringify(value)
    : String(value);

for (const [value, type, arrow, parquet, json] of values) {
  test(`${value} keeps its type and value in Arrow, Parquet and JSON, beside a NULL of its type`, async () => {
    const statement = `SELECT v FROM (SELECT 1 AS n, ${value} AS v UNION ALL (SELECT 2, (SELECT any_value(x) FROM (SELECT ${value} AS x) AS y WHERE false))) ORDER BY n`;
    const table = await arrowOf(statement);
    const column = table.getChild('v');
    assert.equal(String(table.schema.fields[0]?.type), type);
    assert.equal(textOf(column?.get(0)), arrow);
    assert.deepEqual([column?.get(1), column?.nullCount], [null, 1]);
    const { path } = await written(statement, 'parquet');
    const [of, none] = ["typeof(v) || ' ' || v::VARCHAR", 'v IS NULL'];
    const read = `SELECT string_agg(CASE WHEN ${none} THEN '!' ELSE ${of} END, '|') FROM read_parquet(${literal(path)})`;
    assert.equal(await sql.text(read), `${parquet}|!`);
    assert.deepEqual(await ndjsonOf(statement), [`{"v":${json}}`, '{"v":null}']);
  });
}

test('dates that are infinite fail in Arrow and Parquet, also inside others, and are words in CSV and JSON', async () => {
  const value = (infinite: string) => [
    `DATE '${infinite}'`,
    `TIMESTAMP '${infinite}'`,
    `TIMESTAMPTZ '${infinite}'`,
    `[TIMESTAMP_MS '2020-01-01', TIMESTAMP_MS '${infinite}']`,
    `{'a': {'b': DATE '${infinite}'}}`,
    `map {'k': DATE '${infinite}'}`,
  ];
  for (const statement of [...value('infinity'), ...value('-infinity')])
    for (const format of ['arrow', 'parquet'] as const)
      await assert.rejects(written(`SELECT ${statement} AS d`, format), /infinite/, `${format} ${statement}`);
  assert.deepEqual(await ndjsonOf("SELECT DATE 'infinity' AS d"), ['{"d":"infinity"}']);
  const last = await arrowOf("SELECT DATE '9999-12-31' AS d, [DATE '0001-01-01', NULL] AS l");
  assert.equal(Number(last.getChild('d')?.get(0)), Date.UTC(9999, 11, 31));
});

test('whole numbers that have no exact place in Arrow and Parquet fail there, and keep their digits as text', async () => {
  for (const number of [
    '170141183460469231731687303715884105727',
    '340282366920938463463374607431768211455::UHUGEINT',
  ]) {
    const statement = `SELECT ${number} AS n`;
    assert.deepEqual(await ndjsonOf(statement), [`{"n":${number.split(':')[0]}}`]);
    for (const format of ['arrow', 'parquet'] as const)
      await assert.rejects(written(statement, format), /Could not cast/, format);
  }
  const { path } = await written('SELECT 99999999999999999999999999999999999999::HUGEINT AS n', 'parquet');
  assert.equal(await sql.text(`SELECT n::VARCHAR FROM read_parquet(${literal(path)})`), '9'.repeat(38));
  assert.deepEqual(await ndjsonOf('SELECT 9007199254740993 AS n UNION ALL SELECT 2.1 ORDER BY n DESC'), [
    '{"n":9007199254740993.0}',
    '{"n":2.1}',
  ]);
  const nothing = await arrowOf('SELECT NULL::BOOLEAN AS b UNION ALL SELECT NULL');
  assert.deepEqual([nothing.getChild('b')?.nullCount, nothing.getChild('b')?.get(1)], [2, null]);
  const { path: nan } = await written("SELECT * FROM (VALUES (1e0), ('nan'::DOUBLE)) AS v(b)", 'parquet');
  assert.equal(
    await sql.text(`SELECT count(*)::VARCHAR FROM read_parquet(${literal(nan)}) WHERE b > 1`),
    '1',
  );
});

test('JSON keeps its digits in lines of JSON, and its line breaks become blanks', async () => {
  const text = '[1.50, 0.12345678901234567890, 36893488147419103232]';
  assert.deepEqual(await ndjsonOf(`SELECT '${text}'::JSON AS j`), [`{"j":${text}}`]);
  assert.deepEqual(await ndjsonOf("SELECT ('{' || chr(10) || '}')::JSON AS j"), ['{"j":{ }}']);
});

test('rows of many chunks with texts of every length are equal in Arrow, JSON and the engine', async () => {
  const statement = `SELECT range AS n, CASE WHEN range % 7 > 0 THEN repeat('é', (range % 90)::INTEGER) END AS t,
    CASE WHEN range % 5 > 0 THEN list_transform(range(range % 4), lambda i: 'item number ' || i) END AS l,
    range % 3 = 0 AS b, (range - 5000)::DECIMAL(18, 2) AS d FROM range(10000)`;
  const table = await arrowOf(statement);
  const lines = await ndjsonOf(statement);
  assert.equal(lines.length, 10_000);
  for (const [index, line] of lines.entries()) {
    const { n, t, l, b, d } = JSON.parse(line);
    const row = table.get(index)?.toJSON() ?? {};
    assert.deepEqual(
      [Number(row['n']), row['t'], row['l'] && [...row['l']], row['b'], Number(row['d'])],
      [n, t, l, b, Number(d) * 100],
    );
  }
});

test('names of columns are those of the CSV, and a name that is repeated gets a number', async () => {
  const statement = 'SELECT count(*), 1 AS a, 2 AS a, NULL';
  const names = ['count', 'a', 'a_2', 'column_4'];
  assert.deepEqual((await arrowOf(statement)).schema.names, names);
  assert.deepEqual(Object.keys(JSON.parse((await ndjsonOf(statement))[0] ?? '')), names);
  const { path } = await written(statement, 'parquet');
  assert.deepEqual(
    (await sql.columns(`FROM read_parquet(${literal(path)})`)).map(({ name }) => name),
    names,
  );
});

test('a result without rows has its columns in Arrow and Parquet, and no line in JSON', async () => {
  const statement = "SELECT 1 AS a, 'x' AS b, [1] AS c WHERE false";
  assert.deepEqual((await arrowOf(statement)).schema.names, ['a', 'b', 'c']);
  assert.equal((await written(statement, 'parquet')).rows, 0);
  assert.deepEqual(await ndjsonOf(statement), []);
});

test('an error in the middle of an Arrow stream rejects', async () => {
  const statement = "SELECT CASE WHEN range = 9000 THEN error('found') ELSE range END AS n FROM range(10000)";
  await assert.rejects(written(statement, 'arrow'), /found/);
});

test('a part of the rows is written as arrays of JSON, in the order of the statement', async () => {
  const path = join(lake.folder, 'part.rows');
  const statement = "SELECT range AS n, 'x' || range AS t, NULL FROM range(9) ORDER BY n DESC";
  const page = { offset: 2, rowsMax: 3 };
  const { columns, write } = await planResult(sql, statement, path, { format: 'rows', page });
  assert.deepEqual(
    columns.map(({ header, type }) => `${header} ${type.name}`),
    ['n BIGINT', 't VARCHAR', 'column_3 INTEGER'],
  );
  assert.equal(await write(), 3);
  assert.equal(await readFile(path, 'utf8'), '[6,"x6",null]\n[5,"x5",null]\n[4,"x4",null]\n');
});
