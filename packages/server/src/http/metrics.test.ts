import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Jobs } from '../platform/jobs/jobs.ts';
import { Metrics } from './metrics.ts';

test('metrics without jobs are reported while the records are unavailable', async () => {
  let isAway = false;
  const counted = [{ kind: 'query', state: 'queued', count: 3 }];
  const stats = async () => (isAway ? Promise.reject(new Error('ECONNREFUSED')) : counted);
  const metrics = new Metrics({ stats } as Partial<Jobs> as Jobs);
  metrics.answered('GET', '/healthz', 200, 1);
  assert.match((await metrics.text()).body, /ploidy_jobs\{kind="query",state="queued"\} 3/);
  isAway = true;
  const { body } = await metrics.text();
  assert.match(body, /_seconds_count\{method="GET",route="\/healthz",status="200"\} 1/);
  assert.doesNotMatch(body, /ploidy_jobs\{/);
});
