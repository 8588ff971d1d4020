/** Every statement of docs/dialect.md gives the result that stands beside it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DuckdbSql } from '../duckdb.ts';
import { openSql } from '../engine.fixture.ts';
import { checkStatement, type SyntaxTrees } from '../guard/check.ts';
import { engineDefaults } from '../index.ts';
import { headersOf } from '../worker/column-names.ts';
import { copyToCsv } from '../worker/csv.ts';
import { definitions, dialect } from './macros.ts';

const document = readFileSync(join(import.meta.dirname, '../../../../../../docs/dialect.md'), 'utf8');
const rows = [...document.matchAll(/^\| `(SELECT .*?)` \| (?:`(.*?)`)? ?\|/gm)];

let folder: string;
let sql: DuckdbSql;
let trees: SyntaxTrees;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dialect-'));
  sql = await openSql(folder);
  await sql.run("SET TimeZone = 'UTC'");
  await sql.run(dialect);
  trees = {
    serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
    deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
  };
});

after(async () => {
  sql.close();
  await rm(folder, { recursive: true, force: true });
});

/** Lines of the result file, the names of the columns first. */
async function linesOf(statement: string): Promise<string[]> {
  const checked = await checkStatement(statement, [], engineDefaults.check, trees);
  const path = join(folder, 'out.csv');
  const columns = await sql.columns(checked.sql);
  const names = columns.map(({ name }) => name);
  await sql.run(
    copyToCsv(
      checked.sql,
      columns.map(({ type }) => type),
      headersOf(names, new Set()),
      path,
    ),
  );
  return (await readFile(path, 'utf8')).trimEnd().split('\n');
}

async function resultOf(statement: string): Promise<string> {
  const [, ...lines] = await linesOf(statement);
  return lines.join(';');
}

for (const [, statement = '', result = ''] of rows) {
  test(`${statement} gives ${result}`, async () => {
    assert.equal(await resultOf(statement.replaceAll('\\|', '|')), result.replaceAll('\\|', '|'));
  });
}

/** What docs/dialect.md says under "What remains different" of functions that both have: expression, and what it gives here. */
const different: [string, string][] = [
  ['1 / 0, 1 % 0, 1e0 / 0, 0e0 / 0', ',,,'],
  ['nan() = nan(), nan() > 1', 'true,true'],
  ['round(1.0 / 3, 5), round(avg(x), 2) FROM (VALUES (1.5), (2.2)) AS t(x)', '0.33333,1.85'],
  ['nullif(corr(x, y), nan()) FROM (VALUES (1, 2), (1, 5)) AS t(x, y)', ''],
  ["CAST('1.5' AS INTEGER), CAST('0x10' AS INTEGER), TRY_CAST('1_000' AS INTEGER)", '2,16,1000'],
  [
    "CASE WHEN regexp_like(s, '^[+-]?[0-9]+$') THEN CAST(s AS INTEGER) END FROM (VALUES ('1.5'), ('-7')) AS t(s)",
    ';-7',
  ],
  ["CAST('yes' AS BOOLEAN), CAST('2024-01-05 10:00:00' AS DATE), 1 = '1'", 'true,2024-01-05,true'],
  ["is_nan(CAST('nan' AS DOUBLE)), is_infinite(TRY_CAST('inf' AS DOUBLE))", 'true,true'],
  [
    "CASE WHEN NOT regexp_like(s, '[a-df-zA-DF-Z]') THEN TRY_CAST(s AS DOUBLE) END FROM (VALUES ('inf'), ('NaN'), ('1e3')) AS t(s)",
    ';;1000.0',
  ],
  [
    "json_extract_scalar('[1, 2]', '$[-1]'), json_extract_scalar('[2.50]', '$[0]'), json_format(JSON '[2.50]')",
    '2,2.5,[2.5]',
  ],
  ["CAST(1e10 AS VARCHAR), CAST('1' AS JSON)", '10000000000.0,1'],
  [
    "element_at(ARRAY[1], 0), slice(ARRAY[1], 0, 1), split_part('a', ',', 0), sequence(1, 3, -1)",
    ',[],"",[]',
  ],
  [
    "date_trunc('hour', DATE '2024-01-01'), date_diff('hour', DATE '2024-01-01', DATE '2024-01-02')",
    '2024-01-01T00:00:00Z,24',
  ],
  [
    "date_add('hour', 30, DATE '2024-01-01'), date_add('hour', 30, CAST(DATE '2024-01-01' AS TIMESTAMP))",
    '2024-01-02,2024-01-02T06:00:00Z',
  ],
  ["CAST(date_trunc('month', DATE '2024-03-05') AS DATE)", '2024-03-01'],
  [
    "CAST(sequence(DATE '2024-01-31', DATE '2024-03-31', INTERVAL '1' MONTH) AS DATE[])",
    '"[""2024-01-31"",""2024-02-29"",""2024-03-29""]"',
  ],
  ["substr('hello', 0), substr('hello', -10), substring('hello' FROM 0 FOR 2)", 'hello,hello,h'],
  ["substr('hello', 3, -2)", 'he'],
  [
    'bitwise_right_shift(-8, 1), bitwise_right_shift(-8 + 4294967296, 1), bitwise_left_shift(CAST(1 AS BIGINT), 31)',
    '-4,2147483644,2147483648',
  ],
  ['width_bucket(8, 10, 0, 5), width_bucket(10, 10, 0, 5)', '2,1'],
  ['contains(ARRAY[1, NULL], 2), arrays_overlap(ARRAY[1, NULL], ARRAY[2])', 'false,false'],
  [
    'CASE WHEN contains(l, 2) THEN true WHEN cardinality(filter(l, x -> x IS NULL)) = 0 THEN false END FROM (VALUES (ARRAY[1, NULL]), (ARRAY[1])) AS t(l)',
    ';false',
  ],
  ["repeat('a', NULL), array_intersect(ARRAY[1, NULL], ARRAY[1, NULL])", '[],[1]'],
  ['ARRAY[1, NULL] = ARRAY[1, NULL], x = x FROM (SELECT ROW(1, NULL) AS x)', 'true,true'],
  ['(1, NULL) < (2, NULL), (1, 2) < (1, NULL), (1, 5) BETWEEN (1, 2) AND (1, NULL)', 'true,true,true'],
  ['(1, (SELECT NULL)) IN ((1, NULL), (2, 3)), (1, 2) NOT IN (SELECT 2, NULL)', 'true,'],
  [
    "m = n, array_sort(map_entries(m)) = array_sort(map_entries(n)) FROM (SELECT MAP(ARRAY['a', 'b'], ARRAY[1, 2]) AS m, MAP(ARRAY['b', 'a'], ARRAY[2, 1]) AS n)",
    'false,true',
  ],
  [
    "DATE '2024-01-10' - DATE '2024-01-01', TIMESTAMP '2024-01-10 00:00:00' - TIMESTAMP '2024-01-01 00:00:00'",
    '9,9 days',
  ],
  ["TIMESTAMP '2024-01-01 12:00:00' AT TIME ZONE 'Europe/Berlin'", '2024-01-01T11:00:00Z'],
  [
    "CAST(s AS TIMESTAMP), CAST(s AS TIMESTAMPTZ) FROM (VALUES ('2024-01-01 00:00:00+02:00')) AS t(s)",
    '2024-01-01T00:00:00Z,2023-12-31T22:00:00Z',
  ],
  ["date(from_iso8601_timestamp('2024-01-01T00:30:00+02:00'))", '2023-12-31'],
  ["regexp_replace('abc', '(b)', '\\1\\1')", 'abbc'],
  ["typeof(ARRAY[1]), typeof(to_utf8('a'))", 'integer[],blob'],
  ['max_by(x, y, 2), array_sort(set_agg(x)) FROM (VALUES (1, 1), (NULL, 2)) AS t(x, y)', '[1],"[1,null]"'],
];

for (const [expression, result] of different) {
  test(`${expression} is as the document says that it is here`, async () => {
    assert.equal(await resultOf(`SELECT ${expression}`), result);
  });
}

test('what the document says that it fails here, fails', async () => {
  await assert.rejects(resultOf('SELECT bitwise_left_shift(1, 31)'), /left shift/);
  await assert.rejects(resultOf('SELECT bitwise_left_shift(-1, 1)'), /left-shift/);
  await assert.rejects(resultOf("SELECT repeat('a', 10001)"), /10000/);
  await assert.rejects(resultOf("SELECT sequence(DATE '2024-01-01', DATE '2024-01-02')"), /generate_series/);
  await assert.rejects(resultOf('SELECT entropy(x) FROM (VALUES (-1), (5)) AS t(x)'), /negative/);
  await assert.rejects(resultOf('SELECT ln(0)'), /logarithm of zero/);
  for (const call of ['entropy(x)', 'skewness(x)', 'map_agg(x, x)', 'set_agg(x)'])
    await assert.rejects(resultOf(`SELECT ${call} FILTER (WHERE x > 1) FROM (VALUES (1)) AS t(x)`), /FILTER/);
  for (const call of ['entropy(x)', 'skewness(x)', 'map_agg(x, x)'])
    await assert.rejects(
      resultOf(`SELECT ${call} OVER () FROM (VALUES (1)) AS t(x)`),
      /Window function macros|not an aggregate/,
    );
});

/** Uses of each argument in the body of each macro, where there are more than two. */
function usedOften(): Record<string, number> {
  const found: Record<string, number> = {};
  for (const line of definitions) {
    const [, name = '', list = '', body = ''] = /^(\w+)\((.*?)\) AS (.*)$/.exec(line) ?? [];
    const words = body.replace(/'(?:[^']|'')*'/g, "''").match(/\w+(?:\.\w+)*/g) ?? [];
    const names = list.split(', ');
    for (const argument of names) {
      const uses = words.filter((word) => word === argument).length;
      if (uses > 2) found[`${name}/${names.length} ${argument}`] = uses;
    }
  }
  return found;
}

test('no macro names an argument more than twice, but for these', () => {
  assert.deepEqual(usedOften(), {
    // Options and paths: nobody puts a call of the same macro there.
    'regexp_replace/4 o': 5,
    'regexp_replace/4 p': 4,
    'json_array_get/2 i': 3,
    'json_size/2 p': 3,
    // An aggregate holds no aggregate.
    'entropy/1 c': 6,
    'skewness/1 x': 4,
    'map_agg/2 k': 3,
    // A number comes out and no number goes in.
    'cardinality/1 x': 4,
    'json_size/2 j': 3,
    // Slices of slices are rare.
    'slice/3 s': 5,
    'slice/3 l': 4,
  });
});

test('a lambda in a macro calls its variable what nobody does', () => {
  const variables = definitions.flatMap((line) =>
    [...line.matchAll(/lambda ([^:]*):/g)].map(([, name]) => name),
  );
  assert.ok(variables.length > 5);
  for (const name of variables) assert.match(name ?? '', /^_ploidy_\w+$/);
});

test('the document has statements', () => {
  assert.ok(rows.length > 60, String(rows.length));
});

test('a column without a name has that of the function which the engine has for it', async () => {
  const functions =
    "date_parse('2020', '%Y'), date_parse('20', '%y'), approx_distinct(1), regexp_like('a', 'b')";
  const [names] = await linesOf(`SELECT ${functions}`);
  assert.equal(names, 'strptime,strptime_2,approx_count_distinct,regexp_matches');
});

test('an exact approx_distinct is called as the engine calls its estimate, and a count as ever', async () => {
  const calls = [
    'approx_distinct(x) FILTER (WHERE x > 1)',
    'CAST(approx_distinct(x, 0.1) AS VARCHAR)',
    'count(DISTINCT x)',
    'round(approx_distinct(x))',
  ];
  const [names] = await linesOf(`SELECT * FROM (SELECT ${calls} FROM (VALUES (1)) AS t(x))`);
  assert.equal(names, 'approx_count_distinct,approx_count_distinct_2,count,round');
});

test('the error that approx_distinct may have is a number, so that no column is left out by mistake', async () => {
  const table = 'FROM (VALUES (1, 2)) AS t(x, y)';
  for (const call of [
    'approx_distinct()',
    'approx_distinct(x, y)',
    "approx_distinct(x, '')",
    'approx_distinct(x, 1, 2)',
  ])
    await assert.rejects(resultOf(`SELECT ${call} ${table}`), {
      message: 'approx_distinct takes a value, and an error as a number, like 0.023',
      offset: 7,
    });
});
