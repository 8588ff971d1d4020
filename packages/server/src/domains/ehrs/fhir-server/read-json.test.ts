import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson } from './read-json.ts';

test('JSON is read with and without a byte order mark, and other input is undefined', async () => {
  const read = (text: string) =>
    readJson(
      (async function* () {
        yield Buffer.from(text);
      })(),
    );
  assert.deepEqual(await read('\ufeff{"a":"\ufeffb"}'), { a: '\ufeffb' });
  assert.deepEqual(await read('{"a":1}'), { a: 1 });
  assert.equal(await read('<html>'), undefined);
});
