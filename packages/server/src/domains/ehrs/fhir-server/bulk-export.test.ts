import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOfList } from './bulk-export.ts';

const list = (...urls: string[]) => nameOfList(urls.map((url) => ({ type: 'Patient', url })));

test('a list with newly signed addresses is the same list', () => {
  assert.equal(
    list('https://a/1?sign=x', 'https://a/2?sign=x'),
    list('https://a/1?sign=y', 'https://a/2?sign=z'),
  );
});

test('files in another order, or other files, are another list, also if only the queries of addresses differ', () => {
  assert.notEqual(list('https://a/1', 'https://a/2'), list('https://a/2', 'https://a/1'));
  assert.notEqual(
    list('https://a/file?n=1', 'https://a/file?n=2'),
    list('https://a/file?n=2', 'https://a/file?n=1'),
  );
  assert.notEqual(
    list('https://a/file?n=1', 'https://a/file?n=2'),
    list('https://a/file?n=1', 'https://a/file?n=3'),
  );
});
