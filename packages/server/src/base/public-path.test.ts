import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, withoutPath } from './public-path.ts';

test('the path of an address is what is behind its host', () => {
  const addresses = [
    '',
    'https://a.example',
    'http://a.example:80/',
    'https://a.example/x',
    'https://a.example/x/y/',
  ];
  assert.deepEqual(addresses.map(pathOf), ['', '', '', '/x', '/x/y']);
});

test('the path is taken off once, where it is whole, and behind the name of a well-known document', () => {
  for (const [target, expected] of [
    ['/x/v1/projects?a=/x/', '/v1/projects?a=/x/'],
    ['/x/x/v1', '/x/v1'],
    ['/x', '/'],
    ['/x/', '/'],
    ['/x?a', '/?a'],
    ['/xy/v1', '/xy/v1'],
    ['/v1/x/', '/v1/x/'],
    ['/healthz', '/healthz'],
    ['*', '*'],
    ['/.well-known/name/x/v1', '/.well-known/name/v1'],
    ['/.well-known/name/xy/v1', '/.well-known/name/xy/v1'],
    ['/.well-known/name/v1', '/.well-known/name/v1'],
    ['/x/.well-known/name/x/v1', '/.well-known/name/x/v1'],
  ] as const)
    assert.equal(withoutPath(target, '/x'), expected, target);
  assert.equal(withoutPath('/x/v1', ''), '/x/v1');
});
