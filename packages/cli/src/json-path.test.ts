import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPath, valuesAt } from './json-path.ts';

const document = { items: [{ name: 'a', 'x-y': 1 }, { name: 'b' }], next: null };

test('paths pick fields, positions and all elements, as those of jq do', () => {
  for (const [path, values] of [
    ['.', [document]],
    ['.items[].name', ['a', 'b']],
    ['.items[0]["x-y"]', [1]],
    ['.items[-1].name', ['b']],
    ['.items[].x-y', [1, null]],
    ['.items.[0].name', ['a']],
    ['.nothing.further[]', []],
    ['.constructor', [null]],
    ['.next', [null]],
  ] as const)
    assert.deepEqual(valuesAt(document, jsonPath(path)), values, path);
});

test('a path that does not fit the document is an error with words, and prints nothing else', () => {
  for (const path of ['.items.name', '.[0]', '.items[0].name[]', '.items[0].name.x', '.items[0][0]'])
    assert.throws(() => valuesAt(document, jsonPath(path)), /The path does not fit the answer/, path);
  assert.throws(() => valuesAt(document.items, jsonPath('.items[].name')), { remedy: /With --paginate/ });
});

test('other texts are refused', () => {
  for (const path of ['items', '.items[', '.a | .b', '..', '.["\\x"]', '.a[1:2]'])
    assert.throws(() => jsonPath(path), /It should be a path|It has a string/, path);
});
