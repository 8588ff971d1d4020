import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DocumentSplitter, InputError, TooLargeError } from '../index.ts';

const large = 1024 * 1024;

function split(text: string, cuts: number[] = [], piecesMax = large): string[] {
  const found: string[] = [];
  const splitter = new DocumentSplitter(piecesMax, ({ kind, bytes, line, column, index, bundle }) => {
    const said = bundle ? ` ${bundle['type']}` : '';
    found.push(`${kind} ${index ?? '-'} ${line}:${column}${said} ${new TextDecoder().decode(bytes).trim()}`);
  });
  const bytes = new TextEncoder().encode(text);
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  for (const [index, start] of places.slice(0, -1).entries())
    splitter.push(bytes.slice(start, places[index + 1]));
  splitter.end();
  return found;
}

const bundle =
  '{"resourceType":"Bundle","type":"batch",\n "entry" : [ {"a":"]}\\""},\n  {"b":[1,{}]} ], "x":{"entry":[1]}}';
const bundlePieces = [
  'entry 1 2:14 batch {"a":"]}\\""}',
  'entry 2 3:3 batch {"b":[1,{}]}',
  'resource - 1:1 batch {"resourceType":"Bundle","type":"batch",\n "entry" : [], "x":{"entry":[1]}}',
];

test('the entries of a Bundle come one by one, and then what was around them', () => {
  assert.deepEqual(split(bundle), bundlePieces);
});

test('chunks of a source may end anywhere', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 300 }), { maxLength: 30 }), (cuts) => {
      assert.deepEqual(split(bundle, cuts), bundlePieces);
    }),
  );
});

test('the elements of a list, and values that follow each other, come one by one', () => {
  assert.deepEqual(split('[{"a":1},\n{"b":"é"} , 5]'), [
    'resource 1 1:2 {"a":1}',
    'resource 2 2:1 {"b":"é"}',
    'resource 3 2:14 5',
  ]);
  assert.deepEqual(split('{"a":1}{"b":2}\n\n{\n"c":3}'), [
    'resource - 1:1 {"a":1}',
    'resource - 1:8 {"b":2}',
    'resource - 3:1 {\n"c":3}',
  ]);
  assert.deepEqual(split('[]'), []);
});

test('a List has entries but is one resource', () => {
  const list =
    '{"resourceType":"List","id":"l","entry":[{"item":{"reference":"Patient/1"}}],"mode":"working"}';
  assert.deepEqual(split(list), [`resource - 1:1 ${list}`]);
});

test('entries are found before the type of their Bundle is known', () => {
  const pieces = split('{"id":"b","entry":[{"a":1}],"resourceType":"Bundle"}');
  assert.deepEqual(pieces, [
    'entry 1 1:20 undefined {"a":1}',
    'resource - 1:1 undefined {"id":"b","entry":[],"resourceType":"Bundle"}',
  ]);
});

test('an object is read once, however often it has entries', (t) => {
  const parse = t.mock.method(JSON, 'parse');
  const list = `{"resourceType":"List"${',"entry":[{}]'.repeat(1000)}}`;
  assert.deepEqual(split(list + list, [7, 500, 9000]), [
    `resource - 1:1 ${list}`,
    `resource - 1:${list.length + 1} ${list}`,
  ]);
  assert.equal(parse.mock.callCount(), 2);
  parse.mock.resetCalls();
  for (const start of ['{', '{"resourceType":"Bundle",', '{"a":tru,'])
    assert.throws(() => split(`${start}${'"entry":[{}],'.repeat(1000)}"b":1}`), /lists its entries twice/);
  assert.equal(parse.mock.callCount(), 3);
});

test('broken structure is refused with its place', () => {
  const cases: [string, number, number][] = [
    ['{"a":1', 1, 7],
    ['[{"a":1},\n,{}]', 2, 1],
    ['[{"a":1},]', 1, 10],
    ['[{"a":1}}', 1, 9],
    ['{}\n]', 2, 1],
    ['hello', 1, 1],
    ['{"a":1} x', 1, 9],
    ['{"entry":[],\n"entry":[]}', 2, 9],
  ];
  for (const [text, line, column] of cases) {
    assert.throws(
      () => split(text),
      (error) => error instanceof InputError && error.line === line && error.column === column,
      text,
    );
  }
});

test('a piece larger than the limit is refused before all of it is held', () => {
  const text = `[{"a":"${'x'.repeat(5000)}"}]`;
  assert.throws(() => split(text, [100, 2000], 1000), /larger than/);
});

test('a piece of more values than may be is refused before it is parsed, wherever they are', () => {
  const receive = (): void => undefined;
  const push = (text: string) => new DocumentSplitter(large, receive, 6).push(new TextEncoder().encode(text));
  push('{"a":[1,2,{}],"b":",,,,,"} {"entry":[{"c":[{},{}]},{"c":[{},{}]}]}');
  for (const text of [
    '{"a":[1,2,3,4,5,6',
    '[{"a":[{},{},{}',
    '{"a":[{},{},{}],"entry":[',
    '{"entry":[],"a":[{},{},{',
  ])
    assert.throws(() => push(text), TooLargeError, text);
});
