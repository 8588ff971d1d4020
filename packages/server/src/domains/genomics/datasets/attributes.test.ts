import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesFrom } from './attributes.ts';

test('a value is kept under any name, and a missing one is omitted', () => {
  const { attr } = attributesFrom(JSON.parse('{"__proto__":"a","constructor":2,"b":null}'));
  assert.deepEqual(Object.entries(attr), [
    ['__proto__', { values: [{ stringValue: 'a' }] }],
    ['constructor', { values: [{ int64Value: '2' }] }],
  ]);
});
