import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../base/problem.ts';
import { RateLimit } from './rate-limit.ts';

// asvs: 2.4.1
test('a caller may send exactly the limit of requests a minute, independently of others', () => {
  const limit = new RateLimit(3);
  for (let request = 0; request < 3; request += 1) limit.take('one');
  assert.throws(
    () => limit.take('one'),
    (problem) => {
      assert.ok(problem instanceof Problem);
      assert.equal(problem.status, 429);
      const { retryAfterS = 0 } = problem;
      assert.ok(retryAfterS >= 1 && retryAfterS <= 60, `${retryAfterS} s`);
      return true;
    },
  );
  limit.take('other');
});

test('a new minute starts a new count', (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  const limit = new RateLimit(1);
  limit.take('one');
  nowMs = 59_999;
  assert.throws(() => limit.take('one'), /Too many requests/);
  nowMs = 60_000;
  limit.take('one');
});

test('headers show what is left of the minute, also to a caller that is refused', (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  const limit = new RateLimit(2);
  limit.take('one');
  nowMs = 30_500;
  assert.deepEqual(limit.headersFor('one'), {
    'ratelimit-policy': '"minute";q=2;w=60',
    ratelimit: '"minute";r=1;t=30',
  });
  limit.take('one');
  assert.throws(() => limit.take('one'));
  assert.equal(limit.headersFor('one')['ratelimit'], '"minute";r=0;t=30');
  assert.equal(limit.headersFor('other')['ratelimit'], '"minute";r=2;t=30');
});
