import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from './engine.ts';
import { lostWorker } from './lost-worker.ts';

test('a request whose process was lost is told 503 and when to come back; other errors stay what they are', () => {
  const problem = lostWorker(new EngineError('WORKER_LOST', 'The process ended.'));
  assert.deepEqual(
    [problem?.status, problem?.code, problem?.message, problem?.retryAfterS],
    [503, 'ENGINE_UNAVAILABLE', 'The process ended.', 5],
  );
  assert.equal(lostWorker(new EngineError('SQL', 'no')), undefined);
  assert.equal(lostWorker(new Error('no')), undefined);
});
