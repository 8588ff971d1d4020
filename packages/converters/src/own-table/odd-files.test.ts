/** Odd tables of spreadsheets and scripts: each is read correctly, or refused with a remedy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertContent, lines } from './conversion.fixture.ts';

const refused = (content: string, line: number, message: RegExp, name = 'biobank.csv'): Promise<void> =>
  assert.rejects(convertContent(content, {}, {}, name), { name: 'InputError', line, message });

test('whole numbers with an exponent alone may be codes of wells: they stay text, with a warning', async () => {
  const { columns, rows, warnings } = await convertContent(
    lines('sample_id,well,mixed,number', 'S1,1E5,12,1E5', 'S2,2E5,2E3,1.5e-3'),
  );
  assert.deepEqual(columns.slice(1), ['well:string:null', 'mixed:string:null', 'number:float:null']);
  assert.deepEqual(rows.sort(), ['S1|1E5|12|100000.0', 'S2|2E5|2E3|0.0015']);
  assert.deepEqual(
    warnings.map(({ line, message }) => `${line} ${message}`),
    ['2 well', '3 mixed'].map((place) =>
      place.replace(
        / (.*)/,
        ' The column $1 stays text: it holds values like 1E5, which may be numbers or codes: give the type of the column.',
      ),
    ),
  );
});

test('whole numbers with an exponent are numbers where the request or JSON declares them', async () => {
  const named = await convertContent(lines('sample_id,reads', 'S1,1E5'), {
    columns: [{ name: 'reads', type: 'float' }],
  });
  assert.deepEqual(named.rows, ['S1|100000.0']);
  const json = await convertContent(lines('{"sample_id":"S1","reads":1e5}'), {}, {}, 'biobank.ndjson');
  assert.deepEqual(json.columns, ['sample_id:string:hash', 'reads:float:null']);
  assert.deepEqual(json.rows, ['S1|100000.0']);
});

test('the line with which Excel names the separator is no line of titles', async () => {
  const { columns, rows } = await convertContent(lines('sep=;', 'sample_id;age', 'S1;61'));
  assert.deepEqual(columns, ['sample_id:string:hash', 'age:int:null']);
  assert.deepEqual(rows, ['S1|61']);
});

test('a line that repeats the titles is refused, or left out where broken lines are skipped', async () => {
  const content = lines('sample_id,age', 'S1,61', 'sample_id,age', 'S2,62');
  await refused(content, 3, /it repeats the titles\. Remove the line/);
  const { columns, rows, warnings } = await convertContent(content, {}, { onError: 'skip' });
  assert.equal(columns[1], 'age:int:null');
  assert.deepEqual(rows.sort(), ['S1|61', 'S2|62']);
  assert.equal(warnings[0]?.line, 3);
});

test('a JSON object with a key twice is refused', () =>
  refused('{"sample_id":"S1","age":61,"age":16}\n', 1, /a key is repeated/, 'biobank.ndjson'));
