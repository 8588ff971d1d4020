import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import { openLog } from '../../platform/log/log.ts';
import { Duty } from './duty.ts';
import { Maintenance } from './maintenance.ts';

const hourMs = 3_600_000;

testOnRecords('one process at a time has a duty, until its lease ends or is given back', async ({ open }) => {
  const records = await open();
  const [first, second] = [new Duty(records, 'sweeps', hourMs), new Duty(records, 'sweeps', hourMs)];
  assert.equal(await first.take(), true);
  assert.equal(await second.take(), false);
  assert.equal(await first.take(), true, 'the holder prolongs it');
  assert.equal(await new Duty(records, 'watches', hourMs).take(), true, 'another duty is free');
  await second.release();
  assert.equal(await second.take(), false, 'only the holder gives it back');
  await first.release();
  assert.equal(await second.take(), true);
  await records.transact((tx) => tx.updateTable('duties').set({ held_until: 1 }).execute());
  assert.equal(await first.take(), true, 'an ended lease is free');
  assert.equal(await second.take(), false);
});

testOnRecords(
  'sweeps run once the lease of a killed process has ended, and give their own back',
  async ({ open }) => {
    const records = await open();
    const leaseMs = 20;
    assert.equal(await new Duty(records, 'sweeps', leaseMs).take(), true);
    let runs = 0;
    const sweep = async () => {
      runs += 1;
    };
    const duty = new Duty(records, 'sweeps', leaseMs);
    const maintenance = new Maintenance(openLog('silent'), [sweep], hourMs, duty);
    maintenance.start();
    await until(() => runs > 0, 'the sweeps ran');
    const left = () => records.read.selectFrom('duties').select('name').execute();
    await until(async () => (await left()).length === 0, 'the lease was given back');
    await maintenance.stop(hourMs);
  },
);
