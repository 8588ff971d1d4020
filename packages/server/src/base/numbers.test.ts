import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInteger, readNumber } from './numbers.ts';

const most = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
const none = [undefined, undefined];

test('only decimal digits within the bounds are a number', () => {
  const others = ['', ' 1', '1 ', '1e3', '0x10', '+1', '1_0', 'NaN', 'Infinity', '--1', '١'];
  for (const text of [...others, '9'.repeat(17), `${'0'.repeat(40)}1`])
    assert.deepEqual([readInteger(text, most), readNumber(text, most)], none, text);
  assert.equal(readInteger('9007199254740991', most), Number.MAX_SAFE_INTEGER);
  assert.equal(readInteger('9007199254740992', { min: 0, max: Number.POSITIVE_INFINITY }), undefined);
  assert.deepEqual([readInteger('1.5', most), readNumber('1.5', most)], [undefined, 1.5]);
  assert.equal(readInteger('-3', most), -3);
  const few = { min: 5, max: 7 };
  assert.deepEqual([readInteger('4', few), readInteger('8', few), readInteger('7', few)], [...none, 7]);
});
