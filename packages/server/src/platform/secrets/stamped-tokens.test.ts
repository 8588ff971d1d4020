import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StampedTokens, stampedTokenLength } from './stamped-tokens.ts';

const key = Buffer.alloc(32, 1);

test('a token is valid from its issue to the end of its life, for every holder of the key', () => {
  let now = 1e12;
  const token = new StampedTokens(key, () => now).issue();
  const other = new StampedTokens(key, () => now);
  assert.equal(token.length, stampedTokenLength);
  assert.ok(other.isValid(token, 1000));
  now += 999;
  assert.ok(other.isValid(token, 1000));
  now += 1;
  assert.ok(!other.isValid(token, 1000));
});

test('a token of another key, an altered one and any other text are invalid', () => {
  const tokens = new StampedTokens(key);
  assert.ok(!tokens.isValid(new StampedTokens(Buffer.alloc(32, 2)).issue(), 1000));
  const token = tokens.issue();
  for (let at = 0; at < token.length; at += 1) {
    const altered = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    assert.ok(!tokens.isValid(altered, 1e9), `character ${at}`);
  }
  fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => !tokens.isValid(text, 1e9)));
});
