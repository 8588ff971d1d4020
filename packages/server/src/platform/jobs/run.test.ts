import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noting, quickJobs, work } from '../../../../../test/support/jobs.ts';
import { onSqlite, silent } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import { Problem } from '../../base/problem.ts';
import type { JobEnd } from './jobs.ts';

test('each end of a run leaves one line and reaches the listeners, with its figures or its reason', async () => {
  await onSqlite(async ({ open }) => {
    const records = await open();
    const lines: Record<string, unknown>[] = [];
    const log = {
      ...silent,
      info: (details: object, message: string) => {
        if (message === 'a job ended') lines.push({ ...details });
      },
    };
    const jobs = quickJobs(records, { log });
    const ends: JobEnd[] = [];
    jobs.onEnd((end) => void ends.push(end));
    jobs.handle(
      noting(async (run) => {
        const { way } = run.job.payload;
        if (way === 'thrown') throw new Problem(503, 'ENGINE_UNAVAILABLE', 'away');
        run.report(way === 'recorded' ? { failed: 'INPUT' } : { rows: 3, bytes: 40 });
      }),
    );
    const whose = { account: 'main', project: 'trial', user: 'jane' };
    for (const way of ['well', 'recorded', 'thrown'])
      await records.transact((tx) => jobs.add(tx, { ...work, whose, payload: { way }, attemptsMax: 2 }));
    await jobs.start();
    await until(() => ends.length === 4, 'all have ended');
    await jobs.stop();
    const shown = lines.map(({ kind, project, outcome, rows = '', bytes = '', reason = '' }) =>
      [kind, project, outcome, rows, bytes, reason].join(' ').trimEnd(),
    );
    assert.deepEqual(shown.toSorted(), [
      'work trial failed   ENGINE_UNAVAILABLE',
      'work trial failed   INPUT',
      'work trial retried   ENGINE_UNAVAILABLE',
      'work trial succeeded 3 40',
    ]);
    assert.ok(lines.every(({ durationMs }) => Number.isInteger(durationMs)));
    assert.ok(!JSON.stringify(lines).includes('"way"'), 'no payload');
    await records.close();
  });
});
