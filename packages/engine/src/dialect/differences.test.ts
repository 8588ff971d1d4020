/** Verifies "What remains different" of cases.md, and that its advice works. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDialect } from './dialect.fixture.ts';

const { resultOf } = useDialect();

/** Expressions of "What remains different" in cases.md for functions of both engines, with their results here. */
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
    "element_at(ARRAY[1], 0), slice(ARRAY[1], 0, 1), split_part('a', ',', 0), codepoint(''), sequence(1, 3, -1)",
    ',[],"",-1,[]',
  ],
  [
    "date_trunc('hour', DATE '2024-01-01'), date_diff('hour', DATE '2024-01-01', DATE '2024-01-02')",
    '2024-01-01T00:00:00.000Z,24',
  ],
  [
    "date_add('hour', 30, DATE '2024-01-01'), date_add('hour', 30, CAST(DATE '2024-01-01' AS TIMESTAMP))",
    '2024-01-02,2024-01-02T06:00:00.000Z',
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
  ["TIMESTAMP '2024-01-01 12:00:00' AT TIME ZONE 'Europe/Berlin'", '2024-01-01T11:00:00.000Z'],
  [
    "CAST(s AS TIMESTAMP), CAST(s AS TIMESTAMPTZ) FROM (VALUES ('2024-01-01 00:00:00+02:00')) AS t(s)",
    '2024-01-01T00:00:00.000Z,2023-12-31T22:00:00.000Z',
  ],
  ["date(from_iso8601_timestamp('2024-01-01T00:30:00+02:00'))", '2023-12-31'],
  ["regexp_replace('abc', '(b)', '\\1\\1')", 'abbc'],
  ["split_part('a,b', ',', -1), regexp_extract('a,b,c', '^([^,]*),(.*)$', 2)", 'b,"b,c"'],
  [
    "map_from_entries(transform(split(s, ';'), e -> ROW(regexp_extract(e, '^[^=]*'), regexp_extract(e, '=(.*)', 1)))) FROM (VALUES ('DB;AF=0.5;X=a=b')) AS t(s)",
    '"{""DB"":null,""AF"":""0.5"",""X"":""a=b""}"',
  ],
  [
    "at_timezone(from_unixtime(0), 'Europe/Berlin'), try(from_utf8(from_hex('ff')))",
    '1970-01-01T01:00:00.000Z,',
  ],
  [
    "url_extract_path(u), url_decode(replace(url_extract_path(u), '+', '%2B')), url_decode('%zz') FROM (VALUES ('http://a/b%20+c')) AS t(u)",
    '/b%20+c,/b +c,%zz',
  ],
  [
    'CASE WHEN min(x) > 0 THEN geometric_mean(CASE WHEN x > 0 THEN x END) WHEN min(x) = 0 THEN 0 END FROM (VALUES (0), (4)) AS t(x)',
    '0.0',
  ],
  ['width_bucket(nan(), 0, 10, 5), CAST(floor(rand() * 2) AS INTEGER) < 2', '6,true'],
  ["list_sort(ARRAY[1, 3, 2], 'DESC'), concat(ARRAY[1], ARRAY[2])", '"[3,2,1]","[1,2]"'],
  ['lag(x IGNORE NULLS) OVER (ORDER BY y) FROM (VALUES (1, 1), (NULL, 2), (2, 3)) AS t(x, y)', ';1;1'],
  [
    `CAST(JSON '[1, "a"]' AS JSON[]), json_extract_scalar(json_extract(d, '$.a[*]')[1], '$') FROM (VALUES ('{"a": ["x"]}')) AS t(d)`,
    '"[1,""a""]",x',
  ],
  ["json_extract_scalar(TRY_CAST('x' AS JSON), '$.a'), 1", ',1'],
  ["typeof(ARRAY[1]), typeof(to_utf8('a'))", 'integer[],blob'],
  ['max_by(x, y, 2), array_sort(set_agg(x)) FROM (VALUES (1, 1), (NULL, 2)) AS t(x, y)', '[1],"[1,null]"'],
];

for (const [expression, result] of different) {
  test(`${expression} behaves as documented`, async () => {
    assert.equal(await resultOf(`SELECT ${expression}`), result);
  });
}

test('expressions that the document lists as failing do fail', async () => {
  await assert.rejects(resultOf('SELECT bitwise_left_shift(1, 31)'), /left shift/);
  await assert.rejects(resultOf('SELECT bitwise_left_shift(-1, 1)'), /left-shift/);
  await assert.rejects(resultOf("SELECT repeat('a', 10001)"), /10000/);
  await assert.rejects(resultOf("SELECT sequence(DATE '2024-01-01', DATE '2024-01-02')"), /generate_series/);
  await assert.rejects(resultOf('SELECT entropy(x) FROM (VALUES (-1), (5)) AS t(x)'), /negative/);
  await assert.rejects(resultOf('SELECT ln(0)'), /logarithm of zero/);
  for (const text of ['a=1=2', 'a=1,b', 'a=1,,b=2'])
    await assert.rejects(resultOf(`SELECT split_to_map('${text}', ',', '=')`), /one key and one value/);
  await assert.rejects(resultOf('SELECT slice(ARRAY[1, 2], 1, -1)'), /no less than 0/);
  await assert.rejects(resultOf("SELECT hamming_distance('né', 'n')"), /the same length/);
  await assert.rejects(
    resultOf(
      "SELECT levenshtein_distance(array_join(transform(sequence(301, 427), i -> chr(CAST(i AS INTEGER))), ''), 'a')",
    ),
    /126/,
  );
  await assert.rejects(resultOf("SELECT from_utf8(from_hex('ff'))"), /UTF8/);
  await assert.rejects(resultOf('SELECT geometric_mean(x) FROM (VALUES (0), (4)) AS t(x)'), /zero/);
  await assert.rejects(resultOf("SELECT json_extract_scalar('x', '$.a')"), /Malformed JSON/);
  for (const call of ['entropy(x)', 'geometric_mean(x)', 'skewness(x)', 'map_agg(x, x)', 'set_agg(x)'])
    await assert.rejects(resultOf(`SELECT ${call} FILTER (WHERE x > 1) FROM (VALUES (1)) AS t(x)`), /FILTER/);
  for (const call of ['entropy(x)', 'geometric_mean(x)', 'skewness(x)', 'map_agg(x, x)'])
    await assert.rejects(
      resultOf(`SELECT ${call} OVER () FROM (VALUES (1)) AS t(x)`),
      /Window function macros|not an aggregate/,
    );
});
