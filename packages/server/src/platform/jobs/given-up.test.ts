import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from '../../../../engine/src/engine.ts';
import { Problem } from '../../base/problem.ts';
import { givenUp } from './given-up.ts';
import type { Job } from './jobs.ts';

const job = { id: 'job-1', attempts: 3, lost: 3 } as Job;

test('only what was interrupted is to be started again; of anything else the log has the reason, under a name', () => {
  for (const error of [new EngineError('WORKER_LOST', 'gone'), new Problem(500, 'JOB_INTERRUPTED', 'gone')]) {
    const reported = givenUp('query', job, error);
    assert.equal(reported.code, 'INTERRUPTED');
    assert.match(reported.message, /interrupted 3 times.*Start it again/);
  }
  for (const error of [new Error('secret inside'), new EngineError('SQL', 'inside'), 'inside']) {
    const reported = givenUp('ingestion', job, error);
    assert.equal(reported.code, 'INTERNAL');
    assert.match(reported.message, /ingestion failed 3 times.*job-1/);
    assert.doesNotMatch(reported.message, /inside/);
  }
});
