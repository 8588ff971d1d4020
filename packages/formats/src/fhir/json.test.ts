import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { children, compactJson, findJsonError, parseJson, replaceUnstorable } from './index.ts';

/** JSON text in which every token may be followed by whitespace. */
const looseJson = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.constantFrom(0, 1, 2, '\t'))
  .map(([text, indent]) => JSON.stringify(JSON.parse(text), undefined, indent));

test('compact text is the same value without a blank between its tokens', () => {
  fc.assert(
    fc.property(looseJson, (text) => {
      assert.equal(compactJson(text), JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('numbers and strings are never rewritten', () => {
  const text = '{ "a" : 1.50 , "b":[ 1e400 ,12345678901234567890 ], "c" : "x , \\" : y\\\\" , "d" : true }';
  assert.equal(
    compactJson(text),
    '{"a":1.50,"b":[1e400,12345678901234567890],"c":"x , \\" : y\\\\","d":true}',
  );
});

test('the members of an object and the elements of a list are found where they lie', () => {
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
      const text = JSON.stringify(value);
      const found = children(text, 0);
      const expected = Object.entries(value);
      assert.equal(found.length, expected.length);
      for (const [index, { start, end }] of found.entries()) {
        assert.equal(text.slice(start, end), JSON.stringify(expected[index]?.[1]));
      }
      if (Array.isArray(value)) return;
      assert.deepEqual(
        found.map(({ key }) => JSON.parse(`"${key}"`)),
        expected.map(([key]) => key),
      );
    }),
  );
});

test('halves of surrogate pairs and NULs are replaced, pairs and escaped backslashes are not', () => {
  const kept = '"\\ud83d\\ude00 \\\\u0000 \\\\ud800 \\u00e9"';
  assert.equal(replaceUnstorable(kept), kept);
  assert.equal(replaceUnstorable('"\\ud800"'), '"\\ufffd"');
  assert.equal(replaceUnstorable('"\\uDE00\\uD83D x"'), '"\\ufffd\\ufffd x"');
  assert.equal(replaceUnstorable('"\\\\\\u0000"'), '"\\\\\\ufffd"');
});

test('a fault is found wherever the runtime finds one, and nowhere else', () => {
  const mutated = fc
    .tuple(
      looseJson,
      fc.nat(),
      fc.constantFrom('', ',', '}', '"', '\\', '0', 'e', '\n', '{', '[', ':', '-', 'é'),
    )
    .map(
      ([text, at, put]) =>
        text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1),
    );
  fc.assert(
    fc.property(mutated, (text) => {
      assert.equal(findJsonError(text) !== undefined, !parses(text), text);
    }),
    { numRuns: 3000 },
  );
});

test('a fault is named without a quotation of the text', () => {
  const long = 'x\\n'.repeat(8 << 20);
  assert.deepEqual(findJsonError(`["${long}`), {
    offset: 2 + long.length,
    reason: 'a string has no closing quote',
  });
  assert.deepEqual(findJsonError('{"a":1,}'), { offset: 7, reason: 'a key in quotes is missing' });
  assert.deepEqual(findJsonError('{"a" 1}'), { offset: 5, reason: '":" is missing' });
  assert.deepEqual(findJsonError('{"a":tru}'), { offset: 5, reason: 'no JSON value starts here' });
  assert.deepEqual(findJsonError('{"a":1'), { offset: 6, reason: 'the text ends in the middle of a value' });
  assert.deepEqual(findJsonError('{} {}'), { offset: 3, reason: 'other data follows the end of the value' });
  assert.deepEqual(findJsonError('{"a":"x\ty"}')?.offset, 7);
  assert.equal(findJsonError(`${'['.repeat(1_000_000)}1`)?.offset, 1_000_001);
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('a key is read as it was written, whatever the process has parsed before', () => {
  const names = fc.string({ unit: fc.constantFrom('a', 'ö', 'ß', 'u', '0', '\\', '"', '\n'), minLength: 1 });
  const ascii = (key: string): string =>
    JSON.stringify(key).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  let others = 0;
  fc.assert(
    fc.property(names, fc.uuid(), (name, first) => {
      const written = ascii(name);
      // A key of the characters with which the next one begins: the engine may read it in its place.
      const before = JSON.stringify(written.slice(1, -1).slice(0, name.length));
      const text = (key: string): string => `{"${first}": "\\"a\\":", ${key} : {"${first}":1,${key}:2}}`;
      const needsNone = JSON.stringify(name) === `"${name}"`;
      if (before.includes('\\')) assert.throws(() => parseJson(text(before)), SyntaxError);
      if (!needsNone) return assert.throws(() => parseJson(text(written)), SyntaxError);
      others += Number(before.includes('\\'));
      return assert.deepEqual(parseJson(text(written)), {
        [first]: '"a":',
        [name]: { [first]: 1, [name]: 2 },
      });
    }),
    { numRuns: 500 },
  );
  assert.ok(others > 20, `${others} keys that another text could have changed`);
});
