import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from '@ploidy/engine';
import { lostWorker } from './engine-problems.ts';

test('a lost worker process is 503 with Retry-After; other errors stay unchanged', () => {
  const problem = lostWorker(new EngineError('WORKER_LOST', 'The process ended.'));
  assert.deepEqual(
    [problem?.status, problem?.code, problem?.message, problem?.retryAfterS],
    [503, 'ENGINE_UNAVAILABLE', 'The process ended.', 5],
  );
  assert.equal(lostWorker(new EngineError('SQL', 'no')), undefined);
  assert.equal(lostWorker(new Error('no')), undefined);
});
