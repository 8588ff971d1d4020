import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../packages/server/src/base/ids.ts';
import { describeApp } from '../support/app.ts';
import { adminHere, emptyPlace, look, newFolder } from './operator.ts';

describeApp('state that a restore ends', (app) => {
  test('work restarts, sessions and grants end, webhooks are disabled, password links are void, sequences continue, each audit log records it', async (context) => {
    const { records } = app.people;
    const user = newId();
    const times = { created_at: 1, expires_at: Date.now() + 1e9 };
    await records.transact(async (tx) => {
      const job = { kind: 'nobody.runs', payload: '{}', attempts_max: 3 };
      const leased = { state: 'running' as const, attempts: 1, owner: 'x', lease: 'y', lease_until: 1e15 };
      const never = { not_before: 0, created_at: 1, ended_at: null, failure: null };
      await tx
        .insertInto('jobs')
        .values({ id: 'was-running', ...job, ...leased, ...never })
        .execute();
      const common = { user_id: user, only_account: null, methods: '[]', authenticated_at: 1, ...times };
      const session = { id: 's', token_hash: 's', user_agent: '', address: '', seen_at: 1, ended_at: null };
      await tx
        .insertInto('sessions')
        .values({ ...common, ...session })
        .execute();
      for (const purpose of ['new-password', 'invitation'])
        await tx
          .insertInto('one_time_tokens')
          .values({ id: purpose, purpose, subject_id: user, used_at: null, ...times })
          .execute();
    });
    const body = { name: 'Original', url: 'https://receiver.example/' };
    assert.equal((await app.call('POST', '/v1/webhooks', { body })).status, 200);
    const folder = newFolder(context);
    const made = await adminHere(app.settings, 'backup', folder, '--with-key');
    assert.equal(made.code, 0, made.err);
    const place = await emptyPlace(context, records.dialect);
    const restored = await adminHere(place, 'restore', folder);
    assert.equal(restored.code, 0, restored.err);
    await look(place, async (there) => {
      const { read } = there;
      const job = await read
        .selectFrom('jobs')
        .selectAll()
        .where('id', '=', 'was-running')
        .executeTakeFirst();
      assert.deepEqual([job?.state, job?.attempts, job?.lease, job?.owner], ['queued', 0, null, null]);
      const sessions = await read.selectFrom('sessions').select('id').where('ended_at', 'is', null).execute();
      assert.deepEqual(sessions, []);
      const webhooks = await read.selectFrom('webhooks').select('state').execute();
      assert.deepEqual(webhooks, [{ state: 'disabled' }]);
      const open = await read
        .selectFrom('one_time_tokens')
        .select('id')
        .where('used_at', 'is', null)
        .execute();
      assert.deepEqual(open, [{ id: 'invitation' }]);
      const events = await read
        .selectFrom('audit_events')
        .select(['action', 'outcome'])
        .where('account_id', '=', app.account)
        .orderBy('sequence', 'desc')
        .executeTakeFirst();
      assert.deepEqual(events, { action: 'admin.restore', outcome: 'done' });
      assert.ok(job);
      const { seq, ...copy } = job;
      const added = await there.transact((tx) =>
        tx
          .insertInto('jobs')
          .values({ ...copy, id: 'new' })
          .returning('seq')
          .executeTakeFirstOrThrow(),
      );
      assert.ok(added.seq > seq, 'numbers go on after the restored ones');
    });
  });
});
