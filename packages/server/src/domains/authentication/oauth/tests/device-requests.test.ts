/** Open requests of one network: a flood ends none that a program waits for. */
import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../../../test/support/records.ts';
import { DeviceRequests, userCodeOf } from '../device/device-requests.ts';
import { OAuthError } from '../oauth-error.ts';

/** Addresses of one /64, which one client controls. */
const addressOf = (count: number) => `2001:db8:1:2::${count.toString(16)}`;

testOnRecords(
  'a flood of requests of a network ends neither a new one nor one that is asked for',
  async ({ open }) => {
    let now = 1e12;
    const records = await open();
    const devices = new DeviceRequests(records, () => now);
    const shell = await devices.add(addressOf(1));
    await devices.begin('of a program', addressOf(2));
    const decided = await devices.add(addressOf(3));
    const request = await devices.find(decided.userCode);
    assert.ok(request);
    await records.transact((tx) => devices.decide(tx, request, { denied_at: now }));
    const elsewhere = await devices.add('2001:db8:1:3::1');
    const silent = await devices.add(addressOf(4));
    for (let round = 0; round < 3; round += 1) {
      now += 5000;
      await assert.rejects(devices.grantOf(shell.deviceCode), OAuthError);
      await devices.begin('of a program', addressOf(2));
      now += 1;
      for (let count = 0; count < 100; count += 1) await devices.add(addressOf(100 + count));
    }
    const last = await devices.add(addressOf(5));
    assert.ok(await devices.isOpen('of a program'));
    for (const { userCode } of [shell, elsewhere, last]) assert.ok(await devices.find(userCode), userCode);
    assert.equal(await devices.find(silent.userCode), undefined, 'nobody asks for its tokens');
    await assert.rejects(devices.grantOf(decided.deviceCode), { code: 'access_denied' });
    const { open: count } = await records.read
      .selectFrom('device_requests')
      .select(({ fn }) => fn.countAll<number>().as('open'))
      .where('asked_from', '=', '2001:db8:1:2::/64')
      .where('denied_at', 'is', null)
      .executeTakeFirstOrThrow();
    assert.equal(Number(count), 200);
    assert.ok(await devices.find(userCodeOf('of a program')));
  },
);
