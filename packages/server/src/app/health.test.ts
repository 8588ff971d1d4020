import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../test/support/app.ts';

describeApp('the state of the service', (app) => {
  test('an administrator sees version, disk, risks with remedies, and jobs of the own account alone', async () => {
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
    assert.ok(body.disk.freeBytes > 0 && body.disk.bytes >= body.disk.freeBytes);
    assert.match(body.version, /^\d+\.\d+\.\d+/);
    const risks = body.risks.map(({ what }: { what: string }) => what);
    assert.ok(
      risks.includes('No place for backups is set.') && risks.includes('No mail server is set.'),
      risks.join(),
    );
    assert.ok(body.risks.every(({ remedy }: { remedy: string }) => remedy !== ''));
    const reader = await app.people.member(app.account, ['readData']);
    assert.equal((await app.call('GET', '/v1/health', { key: reader.key })).status, 403);
  });
});
