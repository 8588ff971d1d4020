import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { noting, quickJobs, stateOf } from '../../../../../test/support/jobs.ts';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';

/** A process that takes a job and never ends it. */
const worker = (settings: object) => `
  const { openRecords } = await import(${JSON.stringify(new URL('../records/index.ts', import.meta.url).href)});
  const { openJobs } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
  const log = { info() {}, warn() {}, error() {} };
  const records = await openRecords({ ...${JSON.stringify(settings)}, log });
  const jobs = openJobs({ records, log, leaseMs: 500, pollMs: 20, soleProcess: false });
  jobs.handle({
    kind: 'work',
    concurrencyMax: 1,
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
  async ({ open, settings }) => {
    const records = await open();
    const jobs = quickJobs(records, { leaseMs: 500 });
    const attempts: number[] = [];
    jobs.handle(noting(async ({ job }) => void attempts.push(job.attempts)));
    const id = await records.transact((tx) => jobs.add(tx, { kind: 'work', payload: {}, attemptsMax: 5 }));
    for (let round = 1; round <= 2; round += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', worker(settings)], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const [message] = await once(child, 'message');
      assert.deepEqual(message, { held: true, attempts: round });
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await jobs.start();
    await until(async () => (await stateOf(records, id)).state === 'succeeded', 'it is taken up');
    await jobs.stop();
    assert.deepEqual(attempts, [3]);
  },
);
