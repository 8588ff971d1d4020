import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../base/problem.ts';
import { eachAlone } from './each-alone.ts';

const watched = () => {
  const reported: [object, string][] = [];
  const error = (details: object, message: string) => void reported.push([details, message]);
  const log = { info: () => undefined, warn: () => undefined, error };
  return { reported, to: { log, failed: 'not done', about: (item: number) => ({ item }) } };
};

test('an item whose work throws, at once or later, is logged, and every other one is worked on', async () => {
  const done: number[] = [];
  const { reported, to } = watched();
  const work = (item: number) => {
    if (item === 1) throw new Error('at once');
    if (item === 2) return Promise.reject(new Error('later'));
    return Promise.resolve(done.push(item));
  };
  await eachAlone([0, 1, 2, 3], work, to);
  assert.deepEqual(done, [0, 3]);
  assert.deepEqual(
    reported.map(([details, message]) => [Reflect.get(details, 'item'), message]),
    [
      [1, 'not done'],
      [2, 'not done'],
    ],
  );
});

test('a store that is away ends it, since it fails all alike', async () => {
  const { reported, to } = watched();
  const away = new Problem(503, 'STORAGE_UNAVAILABLE', 'away');
  const work = () => Promise.reject(away);
  await assert.rejects(eachAlone([1, 2], work, to), away);
  assert.deepEqual(reported, []);
});

test('a signal ends it between two items, and its reason is no failure of the one under way', async () => {
  const { reported, to } = watched();
  const stop = new AbortController();
  const work = async () => {
    stop.abort(new Error('stopped'));
    throw new Error('because of it');
  };
  await assert.rejects(eachAlone([1, 2], work, { ...to, signal: stop.signal }), /stopped/);
  assert.deepEqual(reported, []);
});
