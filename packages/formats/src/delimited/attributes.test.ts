import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenAttributes } from '../omic/given-attributes.ts';
import { attributesOf, jsonOf } from './attributes.ts';
import { Header } from './header.ts';

test('numbers of other columns keep their digits, and ids and versions stay as they are written', () => {
  const values = ['1.10', '0012', '1E5', '1e-05', '-0.50', '12345678901234567890', '3', 'T1'];
  const attributes = attributesOf(new Header(values.map((_, place) => `c${place}`)), []);
  assert.equal(
    attributes(values),
    '{"c0":1.10,"c1":"0012","c2":"1E5","c3":1e-05,"c4":-0.50,"c5":"12345678901234567890","c6":3,"c7":"T1"}',
  );
});

test('a given JSON object keeps the digits of its numbers', () => {
  const text = '{"id":12345678901234567890,"v":1.10,"inner":[{"x":1e5}]}';
  assert.equal(jsonOf(givenAttributes([text], 0)), text);
});

test('a column is kept whatever its name is', () => {
  const attributes = attributesOf(new Header(['a', '__proto__', 'constructor']), []);
  assert.equal(attributes(['x', '7', 'c'], { b: 1 }), '{"b":1,"a":"x","__proto__":7,"constructor":"c"}');
});
