/** Every statement of cases.md returns the result beside it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useDialect } from './dialect.fixture.ts';
import { definitions } from './macros.ts';

const document = readFileSync(join(import.meta.dirname, 'cases.md'), 'utf8');
const rows = [...document.matchAll(/^\| `(SELECT .*?)` \| (?:`(.*?)`)? ?\|/gm)];

const { linesOf, resultOf } = useDialect();

for (const [, statement = '', result = ''] of rows) {
  test(`${statement} gives ${result}`, async () => {
    assert.equal(await resultOf(statement.replaceAll('\\|', '|')), result.replaceAll('\\|', '|'));
  });
}

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
    // Options, paths and separators: calls of the same macro never occur there.
    'regexp_replace/4 o': 5,
    'regexp_replace/4 p': 4,
    'json_array_get/2 i': 3,
    'json_size/2 p': 3,
    'split_to_map/3 k': 4,
    // An aggregate holds no aggregate.
    'entropy/1 c': 6,
    'skewness/1 x': 4,
    // The result is a number, and no argument is one.
    'cardinality/1 x': 4,
    'json_size/2 j': 3,
    // Slices of slices are rare.
    'slice/3 s': 7,
    'slice/3 l': 7,
    'slice/3 n': 3,
  });
});

test('a lambda in a macro has a variable of an unlikely name', () => {
  const variables = definitions.flatMap((line) =>
    [...line.matchAll(/lambda ([^:]*):/g)].flatMap(([, names]) => names?.split(', ')),
  );
  assert.ok(variables.length > 5);
  for (const name of variables) assert.match(name ?? '', /^_ploidy_\w+$/);
});

test('the document has statements', () => {
  assert.ok(rows.length > 60, String(rows.length));
});

test('a column without a name has that of the function which the engine has for it', async () => {
  const functions =
    "date_parse('2020', '%Y'), date_parse('20', '%y'), approx_distinct(1), regexp_like('a', 'b'), levenshtein_distance('a', 'b'), hamming_distance('a', 'b')";
  const [names] = await linesOf(`SELECT ${functions}`);
  assert.equal(names, 'strptime,strptime_2,approx_count_distinct,regexp_matches,levenshtein,hamming');
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

test('a path to many values is refused where one is expected, with the reason', async () => {
  for (const [name, path, sign] of [
    ['json_extract_scalar', '$.code.coding[*].code', '[*]'],
    ['json_value', 'lax $.a[*]', '[*]'],
    ['json_size', '$.a.*', '.*'],
    ['json_value', 'lax $..a', '..'],
  ])
    await assert.rejects(resultOf(`SELECT ${name}(d, '${path}') FROM (VALUES ('{}')) AS t(d)`), {
      message: `${name} gives one value, and ${sign} in a path means many: json_extract gives them as a list`,
      offset: 7,
    });
  for (const key of ['$."a[*]"', '$."\\"a[*]"', 'a[*]', '/a[*]'])
    assert.equal(
      await resultOf(`SELECT json_extract_scalar('{"a[*]": 1, "\\"a[*]": 1}', '${key}')`),
      '1',
      key,
    );
});

test('texts that are compared or split may come from anywhere', async () => {
  const table = "FROM (VALUES ('é', 'e=1')) AS t(x, y)";
  const calls = [
    "levenshtein_distance(max(x), (SELECT 'e'))",
    "hamming_distance((SELECT 'e'), max(x))",
    "transform(ARRAY['é'], c -> levenshtein_distance(c, 'ée'))",
    "split_to_map(max(y), ',', '=')['e']",
    "levenshtein_distance(JSON '1', '12')",
  ];
  assert.equal(await resultOf(`SELECT ${calls} ${table}`), '1,1,[1],1,1');
  const unnested = `SELECT levenshtein_distance(unnest(ARRAY['é', 'a']), 'a') AS d, x ${table}`;
  assert.equal(await resultOf(unnested), '1,é;0,é');
});

test('the error that approx_distinct may have is a number, so that no column is left out by accident', async () => {
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
