import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../test/support/app.ts';

describeApp('the state of the service', (app) => {
  test('an administrator sees the version, and jobs of the own account alone', async () => {
    const other = await app.people.owner('beside');
    const jobs = (account: string, kind: string, state: 'queued' | 'failed', ended: number | null) => ({
      ...{ id: `${account}-${kind}-${state}`, kind, state, payload: '{}', attempts: 0, attempts_max: 1 },
      ...{ account_id: account, not_before: Date.now() + 3_600_000, created_at: 1000, ended_at: ended },
    });
    await app.people.records.transact(async (tx) => {
      await tx
        .insertInto('jobs')
        .values([
          jobs(app.account, 'lake.run', 'queued', null),
          jobs(app.account, 'lake.run', 'failed', Date.now()),
          jobs(app.account, 'ehr-sync', 'failed', 1000),
          jobs(other.account, 'lake.run', 'queued', null),
        ])
        .execute();
    });
    const { status, body } = await app.call('GET', '/v1/health');
    assert.equal(status, 200);
    assert.deepEqual(body.jobs, [
      { kind: 'lake.run', state: 'failed', count: 1, since: 1000 },
      { kind: 'lake.run', state: 'queued', count: 1, since: 1000 },
    ]);
    assert.match(body.version, /^\d+\.\d+\.\d+/);
    // Administrators of several accounts share no operator.
    assert.equal(body.service, undefined);
    const reader = await app.people.member(app.account, ['readData']);
    assert.equal((await app.call('GET', '/v1/health', { key: reader.key })).status, 403);
  });
});

describeApp('the state of a service with one account', (app) => {
  test('the administrator sees parts, disk, backup and risks with remedies', async () => {
    const { body } = await app.call('GET', '/v1/health');
    const { disk, risks, failure, lastBackup } = body.service;
    assert.ok(disk.freeBytes > 0 && disk.bytes >= disk.freeBytes);
    assert.deepEqual([failure, lastBackup], [undefined, undefined]);
    const found = risks.map(({ what }: { what: string }) => what);
    assert.ok(
      found.includes('There is no backup.') && found.includes('No mail server is set.'),
      found.join(),
    );
    assert.ok(risks.every(({ remedy }: { remedy: string }) => remedy !== ''));
    const madeAt = Date.now() - 3 * 86_400_000;
    await app.people.records.transact(async (tx) => {
      await tx.insertInto('last_backup').values({ id: 'b', made_at: madeAt, bytes: 1 }).execute();
    });
    const { service } = (await app.call('GET', '/v1/health')).body;
    assert.equal(service.lastBackup, madeAt);
    assert.ok(
      service.risks.some(({ what }: { what: string }) => what === 'The last backup is older than two days.'),
    );
  });
});
