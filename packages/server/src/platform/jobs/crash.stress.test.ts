import assert from 'node:assert/strict';
import { importFrom, startChild } from '../../../../../test/support/child.ts';
import { noting, quickJobs, stateOf, work } from '../../../../../test/support/jobs.ts';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import { lostMax } from './rows.ts';

/** Process that claims a job and never ends it. */
const worker = (settings: object) => `
  const { openRecords } = ${importFrom('../records/index.ts', import.meta.url)};
  const { openJobs, Places } = ${importFrom('./index.ts', import.meta.url)};
  const log = { info() {}, warn() {}, error() {} };
  const records = await openRecords({ ...${JSON.stringify(settings)}, log });
  const places = { query: new Places({ max: 1, shortMax: 0, shortMs: Infinity, yieldMs: Infinity }) };
  const jobs = openJobs({ records, log, places, leaseMs: 500, pollMs: 20, soleProcess: false });
  jobs.handle({
    kind: 'work',
    run: async ({ job, holdsLease }) => {
      const held = await records.transact((tx) => holdsLease(tx));
      process.send({ held, attempts: job.attempts });
      await new Promise(() => setInterval(() => {}, 1000));
    },
    onExhausted: async () => undefined,
  });
  await jobs.start();
`;

testOnRecords(
  'a job whose process is killed in the middle is taken up by another',
  async ({ open, settings }, context) => {
    const records = await open();
    const jobs = quickJobs(records, { leaseMs: 500 });
    const attempts: number[] = [];
    jobs.handle(noting(async ({ job }) => void attempts.push(job.attempts)));
    const id = await records.transact((tx) => jobs.add(tx, { ...work, attemptsMax: 2 }));
    for (let round = 1; round < lostMax; round += 1) {
      const child = startChild(context, worker(settings));
      const message = await child.message();
      assert.deepEqual(message, { held: true, attempts: 1 });
      await child.kill();
    }
    await jobs.start();
    await until(async () => (await stateOf(records, id)).state === 'succeeded', 'it is taken up');
    await jobs.stop();
    assert.deepEqual(attempts, [1]);
  },
);
