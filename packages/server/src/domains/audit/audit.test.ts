import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { Audit, verifyChain } from './index.ts';

describeApp('audit', (app) => {
  const events = (account = app.account) =>
    app.people.records.read
      .selectFrom('audit_events')
      .selectAll()
      .where('account_id', '=', account)
      .orderBy('sequence')
      .execute();

  // asvs: 16.3.2
  test('every change, every read of a file and every refusal is an event', async () => {
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'Audited' } })).body.id;
    const file = await app.put(project, 'a.txt', 'secret words');
    await app.call('GET', `/v1/files/${file}`);
    const member = await app.people.member(app.account, []);
    assert.equal((await app.call('GET', `/v1/files/${file}`, { key: member.key })).status, 403);
    await app.call('DELETE', `/v1/files/${file}`);
    const found = (await events()).map(
      ({ action, outcome, resource_id }) => `${action} ${outcome} ${resource_id}`,
    );
    for (const expected of [
      `projects.create done ${project}`,
      `files.create done ${file}`,
      `files.upload done ${file}`,
      `files.read done ${file}`,
      `files.read refused ${file}`,
      `files.delete done ${file}`,
    ]) {
      assert.ok(found.includes(expected), expected);
    }
  });

  test('events hold no content, file name, key or address', async () => {
    const text = JSON.stringify(await events());
    for (const secret of ['secret words', 'a.txt', app.key, 'signature=']) assert.ok(!text.includes(secret));
  });

  // asvs: 2.3.3
  test('a change that failed leaves no event', async () => {
    const count = (await events()).length;
    await app.call('POST', '/v1/projects', { body: { name: 'Audited' } });
    assert.equal((await events()).length, count);
  });

  test('the chain is complete under concurrency, without gaps', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `Chained ${index}`);
    await Promise.all(names.map((name) => app.call('POST', '/v1/projects', { body: { name } })));
    const report = await verifyChain(app.people.records.read, app.account);
    const { length } = await events();
    assert.deepEqual(report, { account: app.account, events: length });
  });

  test('concurrent events are all written, each to the chain of its account, and those of a closed chain are refused', async () => {
    const { records } = app.people;
    const audit = new Audit(records);
    const [first, second] = await Promise.all(['together-1', 'together-2'].map((id) => app.people.owner(id)));
    const count = async (account = '') => (await events(account)).length;
    const before = [await count(first?.account), await count(second?.account)];
    const record = (account = '', number = 0) =>
      audit.record({
        account,
        userId: null,
        via: 'host',
        action: 'files.read',
        resource: { type: 'file', id: `f${number}` },
        outcome: 'done',
      });
    const numbers = Array.from({ length: 70 }, (_, number) => number);
    const accounts = [first?.account, second?.account];
    await Promise.all(numbers.map((number) => record(accounts[number % 2], number)));
    for (const [at, account] of accounts.entries()) {
      assert.equal((await count(account)) - (before[at] ?? 0), 35);
      // Several transactions write at once: their order of commit is open.
      const found = (await events(account)).slice(-35).map((event) => event.resource_id);
      const recorded = numbers.filter((number) => number % 2 === at).map((number) => `f${number}`);
      assert.deepEqual(found.sort(), recorded.sort());
      assert.equal((await verifyChain(records.read, account ?? '')).brokenAt, undefined);
    }
    await records.transact((tx) => audit.close(tx, second?.account ?? ''));
    const results = await Promise.allSettled(
      accounts.flatMap((account) => [record(account), record(account)]),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
  });

  test('a changed or removed event is detected', async () => {
    const { records } = app.people;
    const [, second, third] = await events();
    await records.transact((tx) =>
      tx
        .updateTable('audit_events')
        .set({ action: 'nothing' })
        .where('account_id', '=', app.account)
        .where('sequence', '=', second?.sequence ?? 0)
        .execute(),
    );
    assert.equal((await verifyChain(records.read, app.account)).brokenAt, 2);
    await records.transact(async (tx) => {
      const at = tx.updateTable('audit_events').set({ action: second?.action ?? '' });
      await at.where('account_id', '=', app.account).where('sequence', '=', 2).execute();
      const gone = tx.deleteFrom('audit_events').where('account_id', '=', app.account);
      await gone.where('sequence', '=', third?.sequence ?? 0).execute();
    });
    assert.equal((await verifyChain(records.read, app.account)).brokenAt, 3);
  });
});
