import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { InputError } from '@ploidy/formats';
import { ConversionFixture } from './conversion.fixture.ts';
import { convertFhir } from './convert.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const good = '{"resourceType":"Patient","id":"a"}';
const secret = 'Jane Doe';

interface Refusal {
  content: string | Uint8Array;
  message: RegExp;
  line?: number;
  column?: number;
}

const truncated = gzipSync(
  Array.from({ length: 5000 }, (_, index) => `${good.replace('a"', `${index}"`)}\n`).join(''),
);
const damaged = Buffer.from(truncated);
damaged.fill(0x55, 40, 80);

const refusals: Record<string, Refusal> = {
  'an empty file': { content: '', message: /empty/, line: 1, column: 1 },
  'an empty gzip': { content: gzipSync(''), message: /empty/, line: 1, column: 1 },
  'a file of blanks': { content: ' \n\r\n\t', message: /empty/, line: 1, column: 1 },
  'a byte order mark alone': { content: '\ufeff', message: /empty/, line: 1, column: 1 },
  'binary rubbish': {
    content: Buffer.from([0, 1, 2, 250, 7, 10, 3]),
    message: /not FHIR JSON/,
    line: 1,
    column: 1,
  },
  'a text that is no JSON': {
    content: '##fileformat=VCFv4.2\n',
    message: /not FHIR JSON/,
    line: 1,
    column: 1,
  },
  'UTF-16': { content: Buffer.from(`\ufeff${good}`, 'utf16le'), message: /UTF-16/, line: 1, column: 1 },
  'JSON that is no FHIR': {
    content: `{"a":"${secret}"}`,
    message: /not a FHIR resource/,
    line: 1,
    column: 1,
  },
  'a gzip that ends too early': {
    content: truncated.subarray(0, truncated.length - 20),
    message: /gzip.*too early/,
  },
  'a damaged gzip': { content: damaged, message: /gzip|line/ },
  'invalid JSON in a line': {
    content: `${good}\n\n{"resourceType":"Patient","id":"b","name":"${secret}",}\n`,
    message: /line 3 .*key in quotes/,
    line: 3,
    column: 54,
  },
  'a line that ends in the middle': {
    content: `${good}\n${good.slice(0, -2)}`,
    message: /line 2 /,
    line: 2,
    column: 34,
  },
  'a line that is a number': { content: `${good}\n5\n`, message: /line 2 .*not a JSON object/, line: 2 },
  'a line with two resources': {
    content: `${good}\n${good}${good}\n`,
    message: /line 2 .*other data follows/,
    line: 2,
    column: 36,
  },
  'bytes that are no UTF-8': {
    content: Buffer.concat([
      Buffer.from(`${good}\n{"resourceType":"Patient","id":"b","x":"`),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ]),
    message: /line 2 .*UTF-8/,
    line: 2,
  },
  'a resource without a type': {
    content: `${good}\n{"id":"${secret}"}`,
    message: /"resourceType" is missing/,
    line: 2,
  },
  'a type that is no name': {
    content: `${good}\n{"resourceType":"a b","id":"1"}`,
    message: /name of a type/,
    line: 2,
  },
  'a resource without an id': {
    content: `${good}\n{"resourceType":"Condition"}`,
    message: /Condition has no "id"/,
    line: 2,
  },
  'an id that is a number': {
    content: '{"resourceType":"Condition","id":5}',
    message: /"id" of the Condition/,
    line: 1,
  },
  'an id with a blank': {
    content: `{"resourceType":"Condition","id":"${secret}"}`,
    message: /"id" of the Condition/,
    line: 1,
  },
  'an id of 256 letters': {
    content: `{"resourceType":"Condition","id":"${'x'.repeat(256)}"}`,
    message: /"id"/,
    line: 1,
  },
  'an entry without an id': {
    content: `{"resourceType":"Bundle","type":"batch","entry":[\n{"resource":${good}},\n{"resource":{"resourceType":"Condition"}}]}`,
    message: /entry 2 \(line 3\)/,
    line: 3,
    column: 1,
  },
  'invalid JSON in an entry': {
    content: `{"resourceType":"Bundle","entry":[\n  {"resource":${good}},\n  {"resource":\n    {"id" "x"}}]}`,
    message: /entry 2 .*":" is missing/,
    line: 4,
    column: 11,
  },
  'an entry that is no object': {
    content: '{"resourceType":"Bundle","entry":[\n5]}',
    message: /entry 1/,
    line: 2,
    column: 1,
  },
  'entries that are no list': {
    content: '{"resourceType":"Bundle","entry":{"a":1}}',
    message: /not a list/,
    line: 1,
  },
  'a Bundle that ends too early': {
    content: `{"resourceType":"Bundle","entry":[\n{"resource":${good}},\n{"resource":`,
    message: /ends in the middle/,
    line: 3,
    column: 13,
  },
  'something behind a Bundle': {
    content: `{"resourceType":"Bundle","entry":[\n]}\n]`,
    message: /closing bracket/,
    line: 3,
    column: 1,
  },
};

for (const [name, { content, message, line, column }] of Object.entries(refusals)) {
  test(`${name} is refused with its place, and without a word of what it says`, async () => {
    await assert.rejects(fixture.convert(content), (error) => {
      assert.ok(error instanceof InputError, String(error));
      assert.match(error.message, message);
      assert.ok(!error.message.includes(secret));
      if (line !== undefined) assert.equal(error.line, line);
      if (column !== undefined) assert.equal(error.column, column);
      return true;
    });
  });
}

test('a refused source leaves nothing in the output folder', async () => {
  const outputFolder = mkdtempSync(join(fixture.folder, 'refused-'));
  const sourcePath = join(fixture.folder, 'refused.ndjson');
  writeFileSync(sourcePath, `${good}\n{}\n`);
  const task = {
    type: 'fhir',
    sourcePath,
    sourceSize: 1,
    sourceName: 'x',
    outputFolder,
    setId: 's',
    options: {},
  } as const;
  const report = { progress: () => undefined, warn: () => undefined, account: () => undefined };
  await assert.rejects(convertFhir(task, fixture.sql, report), InputError);
  assert.deepEqual(readdirSync(outputFolder), []);
});

test('with onError "skip", broken lines are listed and the others taken', async () => {
  const content = [
    '{"resourceType":"Pat',
    good,
    '{}',
    '5',
    good.replace('a"', 'b"'),
    '{"resourceType":"Patient","id":"?"}',
    '',
  ];
  const { rows, warnings } = await fixture.convert(content.join('\n'), { onError: 'skip' });
  assert.deepEqual(
    rows('patient').map((row) => row['patient_id']),
    ['a', 'b'],
  );
  assert.deepEqual(
    warnings.map(({ line }) => line),
    [1, 3, 4, 6],
  );
  for (const { message } of warnings) assert.match(message, /^left out: /);
});

test('with onError "skip", broken entries are listed and the others taken', async () => {
  const entries = [
    `{"resource":${good}}`,
    '{"resource":{"resourceType":"Condition"}}',
    '{"resource" 5}',
    '7',
  ];
  const content = `{"resourceType":"Bundle","type":"batch","entry":[\n${entries.join(',\n')}]}`;
  const { rows, warnings } = await fixture.convert(content, { onError: 'skip' });
  assert.equal(rows('patient').length, 1);
  assert.deepEqual(
    warnings.map(({ line, message }) => [line, message.slice(0, 8)]),
    [
      [3, 'entry 2:'],
      [4, 'entry 3:'],
      [5, 'entry 4:'],
    ],
  );
});

test('a line larger than any resource is refused, or passed over, without being held', async () => {
  const huge = Buffer.alloc(65 * 1024 * 1024, 'x');
  const content = Buffer.concat([
    Buffer.from(`${good}\n{"a":"`),
    huge,
    Buffer.from(`"}\n${good.replace('a"', 'b"')}\n`),
  ]);
  await assert.rejects(fixture.convert(content), /line 2 .*larger than 64 MiB/);
  const { rows, warnings } = await fixture.convert(content, { onError: 'skip' });
  assert.deepEqual(
    rows('patient').map((row) => row['patient_id']),
    ['a', 'b'],
  );
  assert.deepEqual(warnings, [{ line: 2, message: 'left out: it is larger than 64 MiB' }]);
});
