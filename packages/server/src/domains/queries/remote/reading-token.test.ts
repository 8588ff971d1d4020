import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadingTokens } from './reading-token.ts';

const tables = { query: 'q1', project: 'p1', version: 3, tables: ['variant', '_resource'] };
const tokens = new ReadingTokens(new Uint8Array(32).fill(1));

test('a token names the tables of its query, and the namespace is the query’s own', () => {
  assert.deepEqual(tokens.read(tokens.make(tables)), tables);
  assert.match(tokens.namespaceOf(tables), /^q_[0-9a-f]{32}$/);
  assert.notEqual(tokens.namespaceOf(tables), tokens.namespaceOf({ query: 'q2' }));
});

test('a token that was changed in any letter, or signed with another key, is none', () => {
  const token = tokens.make(tables);
  for (let at = 0; at < token.length; at += 1) {
    const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    assert.equal(tokens.read(changed), undefined, String(at));
  }
  assert.equal(tokens.read(new ReadingTokens(new Uint8Array(32)).make(tables)), undefined);
  for (const other of ['', '.', token.replace('.', '')]) assert.equal(tokens.read(other), undefined, other);
});
