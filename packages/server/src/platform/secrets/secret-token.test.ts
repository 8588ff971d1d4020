import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newToken, tokenHash } from './secret-token.ts';

// asvs: 6.4.1, 7.2.3, 11.5.1
test('a token has 256 random bits and needs no quoting in addresses, cookies and forms', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  assert.equal(new Set(tokens).size, 100);
  for (const token of tokens) assert.match(token, /^[\w-]{43}$/);
});

test('a stored digest matches the issued token', () => {
  assert.equal(tokenHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
