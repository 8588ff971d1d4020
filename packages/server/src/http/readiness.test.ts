import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem, storageFull } from '../base/problem.ts';
import { build } from '../base/version.ts';
import type { Metrics } from './metrics.ts';
import { readiness } from './readiness.ts';
import { serviceRoutes } from './service-routes.ts';

/** Calls `/readyz` with one check. */
function readyz(check: () => Promise<void>): () => Promise<unknown> {
  const route = serviceRoutes(readiness({ part: check }), {} as Metrics).find(
    ({ path }) => path === '/readyz',
  );
  assert.ok(route);
  return () => route.handle({} as never);
}

test('concurrent readiness requests share one check, and the next one checks again', async () => {
  let looks = 0;
  let answer = Promise.withResolvers<void>();
  const ask = readyz(() => {
    looks += 1;
    return answer.promise;
  });
  const asked = Array.from({ length: 100 }, ask);
  answer.resolve();
  assert.deepEqual(await Promise.all(asked), Array(100).fill({ status: 'ready', ...build }));
  assert.equal(looks, 1);
  answer = Promise.withResolvers();
  answer.reject(new Error('away'));
  const refused = await Promise.allSettled([ask(), ask()]);
  assert.equal(looks, 2);
  for (const one of refused) assert.ok(one.status === 'rejected' && one.reason instanceof Problem);
  answer = Promise.withResolvers();
  answer.resolve();
  assert.deepEqual(await ask(), { status: 'ready', ...build }, 'what it said before is not kept');
});

test('a full disk is distinguished from a store that does not answer', async () => {
  const full = readyz(() => Promise.reject(storageFull(new Error('ENOSPC'))));
  await assert.rejects(full(), { message: 'The service is not ready: no space is left for part.' });
  const away = readyz(() => Promise.reject(new Error('refused')));
  await assert.rejects(away(), { message: 'The service is not ready: part does not answer.' });
});
