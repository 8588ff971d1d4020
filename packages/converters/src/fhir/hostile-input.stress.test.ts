import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ConversionFixture } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const observation = (fields: string, id = 'o') => `{"resourceType":"Observation","id":"${id}",${fields}}\n`;

test('texts are kept letter by letter, whatever they hold', async () => {
  const texts = [
    'line\nbreak',
    'carriage\r\nreturn',
    'tab\tand "quotes" and \'quotes\' and \\backslashes\\',
    ' blanks around ',
    'NULL',
    ',;|',
    '日本語 😀 e\u0301 \u2028 \ufeff',
    '"',
    "'); DROP TABLE observation; --",
    '-1e5',
    '#comment',
    'x'.repeat(200_000),
  ];
  const lines = texts.map((text, index) =>
    observation(`"valueString":${JSON.stringify(text)}`, `o${index + 10}`),
  );
  const { rows, warnings } = await fixture.convert(lines.join(''));
  assert.deepEqual(
    rows('observation').map((row) => row['value_string']),
    texts,
  );
  assert.deepEqual(
    rows('observation').map((row) => JSON.parse(String(row['data'])).valueString),
    texts,
  );
  assert.deepEqual(warnings, []);
});

test('characters that FHIR forbids are replaced in columns', async () => {
  const { rows } = await fixture.convert(observation('"valueString":"a\\u001fb\\u001ec\\u0007d\\n"'));
  assert.equal(rows('observation')[0]?.['value_string'], 'a\ufffdb\ufffdc\ufffdd\n');
});

test('NULs and lone surrogates are replaced everywhere and reported', async () => {
  const text = '"valueString":"a\\u0000b\\ud800c","code":{"text":"\\udc00\\ud83d\\ude00"}';
  const { rows, warnings } = await fixture.convert(observation(text));
  const [row] = rows('observation');
  assert.equal(row?.['value_string'], 'a\ufffdb\ufffdc');
  assert.equal(row?.['text'], '\ufffd😀');
  assert.equal(JSON.parse(String(row?.['data'])).valueString, 'a\ufffdb\ufffdc');
  assert.deepEqual(warnings, [
    {
      line: 1,
      message: 'NUL and unpaired surrogates were replaced by U+FFFD',
    },
  ]);
});

test('numbers are kept as they were written', async () => {
  const value = '{"value": 1.5000, "unit":"g"}';
  const written = '"valueQuantity":{"value":1.5000,"unit":"g"},"x":[1e400,12345678901234567890.10,-0]';
  const { rows } = await fixture.convert(
    observation(`"valueQuantity": ${value}, "x": [1e400, 12345678901234567890.10 ,-0]`),
  );
  const [row] = rows('observation');
  assert.equal(row?.['value_quantity'], 1.5);
  assert.equal(row?.['data'], `{"resourceType":"Observation","id":"o",${written}}`);
});

test('numbers out of the range of a column are left out and reported', async () => {
  const { rows, warnings } = await fixture.convert(
    `${observation('"valueQuantity":{"value":1e999}')}{"resourceType":"Media","id":"m","height":1.5,"width":1e300,"frames":"x"}\n`,
  );
  assert.equal(rows('observation')[0]?.['value_quantity'], null);
  const { height, width, frames } = rows('media')[0] ?? {};
  assert.deepEqual([height, width, frames], [null, null, null]);
  assert.deepEqual(
    warnings.map(({ line }) => line),
    [1, 2, 2, 2],
  );
});

test('the last value of a repeated key counts', async () => {
  const { rows } = await fixture.convert(
    '{"resourceType":"Patient","id":"a","gender":"male","id":"b","gender":"female"}\n' +
      '{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"z"},"resource":{"resourceType":"Patient","id":"c"}}]}',
  );
  assert.deepEqual(
    rows('demographic').map((row) => [row['patient_id'], row['gender']]),
    [
      ['b', 'female'],
      ['c', null],
    ],
  );
});

test('keys that mean something to the runtime are plain keys', async () => {
  const text =
    '"__proto__":{"status":"polluted"},"constructor":{"prototype":{"status":"polluted"}},"toString":1';
  const { rows } = await fixture.convert(observation(text));
  assert.equal(rows('observation')[0]?.['status'], null);
  assert.ok(String(rows('observation')[0]?.['data']).includes('__proto__'));
  assert.equal(Object.hasOwn(Object.prototype, 'status'), false);
});

test('very deep nesting keeps the columns and leaves out the document, in lines and in Bundles', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const line = observation(`"category":${deep},"code":${objects},"contained":${deep}`);
  const { rows, warnings } = await fixture.convert(line);
  assert.deepEqual(
    rows('observation').map(({ data }) => data),
    [null],
  );
  assert.match(String(warnings[0]?.message), /nested too deeply/);
  const levels = (count: number) => observation(`"a":${'['.repeat(count)}${']'.repeat(count)}`);
  assert.notEqual((await fixture.convert(levels(99))).rows('observation')[0]?.['data'], null);
  assert.equal((await fixture.convert(levels(100))).rows('observation')[0]?.['data'], null);
  const bundle = `{"resourceType":"Bundle","entry":[\n{"resource":${line.trim()}}]}`;
  const entries = await fixture.convert(bundle);
  assert.equal(entries.rows('observation')[0]?.['data'], null);
});

test('Bundles nested too deep are refused', async () => {
  const levels = 20_000;
  const open = '{"resourceType":"Bundle","entry":[{"resource":'.repeat(levels);
  const content = `${open}{"resourceType":"Patient","id":"a"}${'}]}'.repeat(levels)}\n`;
  await assert.rejects(fixture.convert(content), /nested more than \d+ levels deep/);
});

test('resources far larger than usual are written within the memory of the engine', async () => {
  const text = 'lorem ipsum '.repeat(30_000);
  const path = join(fixture.folder, 'large.ndjson');
  for (let index = 0; index < 400; index += 1) {
    appendFileSync(path, observation(`"valueString":"${index} ${text}"`, `o${index}`));
  }
  const { tables, warnings } = await fixture.run(path);
  assert.equal(tables.find(({ table }) => table === 'observation')?.rows, 400);
  assert.deepEqual(warnings, []);
});

test('many different types without ids are counted, not listed', async () => {
  const name = (index: number) =>
    `T${[...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
  const lines = Array.from({ length: 500 }, (_, index) => `{"resourceType":"${name(index)}"}\n`);
  const { warnings } = await fixture.convert(lines.join(''));
  assert.equal(warnings.length, 101);
  assert.equal(warnings.at(-1)?.message, 'other types: 400 resources without an id were left out');
});
