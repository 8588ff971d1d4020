import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../problem.ts';
import type { Metrics } from './metrics.ts';
import { serviceRoutes } from './service-routes.ts';

/** `/readyz` with one part, which answers as it is told. */
function readiness(check: () => Promise<void>): () => Promise<unknown> {
  const route = serviceRoutes({ part: check }, {} as Metrics).find(({ path }) => path === '/readyz');
  assert.ok(route);
  return () => route.handle({} as never);
}

test('who asks for readiness while it is looked at shares that look, and the next one looks anew', async () => {
  let looks = 0;
  let answer = Promise.withResolvers<void>();
  const ask = readiness(() => {
    looks += 1;
    return answer.promise;
  });
  const asked = Array.from({ length: 100 }, ask);
  answer.resolve();
  assert.deepEqual(await Promise.all(asked), Array(100).fill({ status: 'ready' }));
  assert.equal(looks, 1);
  answer = Promise.withResolvers();
  answer.reject(new Error('away'));
  const refused = await Promise.allSettled([ask(), ask()]);
  assert.equal(looks, 2);
  for (const one of refused) assert.ok(one.status === 'rejected' && one.reason instanceof Problem);
  answer = Promise.withResolvers();
  answer.resolve();
  assert.deepEqual(await ask(), { status: 'ready' }, 'what it said before is not kept');
});
