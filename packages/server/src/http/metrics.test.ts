import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobEnd, Jobs } from '../platform/jobs/jobs.ts';
import { Metrics } from './metrics.ts';

test('metrics without jobs are reported while the records are unavailable', async () => {
  let isAway = false;
  const counted = [{ kind: 'query', state: 'queued', count: 3 }];
  const stats = async () => (isAway ? Promise.reject(new Error('ECONNREFUSED')) : counted);
  const jobs = { stats, onEnd: () => undefined } as Partial<Jobs> as Jobs;
  const metrics = new Metrics({
    ...{ jobs, disk: async () => ({ freeBytes: 5, bytes: 9 }) },
    lastBackup: async () => 1_700_000_000_000,
  });
  metrics.answered('GET', '/healthz', 200, 1);
  assert.match((await metrics.text()).body, /ploidy_jobs\{kind="query",state="queued"\} 3/);
  isAway = true;
  const { body } = await metrics.text();
  assert.match(body, /_seconds_count\{method="GET",route="\/healthz",status="200"\} 1/);
  assert.doesNotMatch(body, /ploidy_jobs\{/);
});

test('ends of jobs, the wait of the oldest one and the disk are counted', async () => {
  const listeners: ((end: JobEnd) => void)[] = [];
  const stats = async () => [
    { kind: 'lake.run', state: 'queued' as const, count: 2, dueSince: Date.now() - 60_000 },
    { kind: 'lake.run', state: 'running' as const, count: 1, dueSince: 1 },
  ];
  const jobs = { stats, onEnd: (one: (end: JobEnd) => void) => void listeners.push(one) };
  const metrics = new Metrics({
    jobs: jobs as Partial<Jobs> as Jobs,
    disk: async () => ({ freeBytes: 5, bytes: 9 }),
    lastBackup: async () => 1_700_000_000_000,
  });
  const end = (more: Partial<JobEnd>): JobEnd => ({
    ...{ job: { kind: 'lake.run' } as JobEnd['job'], durationMs: 700, figures: {}, reason: undefined },
    ...{ outcome: 'succeeded', ...more },
  });
  for (const listener of listeners) {
    listener(end({ figures: { rows: 3, bytes: 40 } }));
    listener(end({ outcome: 'retried', reason: 'WORKER_LOST' }));
  }
  const { body } = await metrics.text();
  for (const line of [
    /^ploidy_job_duration_seconds_bucket\{le="1",kind="lake.run",outcome="succeeded"\} 1$/m,
    /^ploidy_job_failures_total\{kind="lake.run",code="WORKER_LOST"\} 1$/m,
    /^ploidy_last_backup_timestamp_seconds 1700000000$/m,
    /^ploidy_job_rows_total\{kind="lake.run"\} 3$/m,
    /^ploidy_job_bytes_total\{kind="lake.run"\} 40$/m,
    /^ploidy_job_queue_age_seconds\{kind="lake.run"\} 60(?:\.\d+)?$/m,
    /^ploidy_disk_bytes\{part="free"\} 5$/m,
  ])
    assert.match(body, line);
});
