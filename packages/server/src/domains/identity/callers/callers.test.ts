import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { describeApp } from '../../../../../../test/support/app.ts';
import type { Reader } from '../../../platform/records/records.ts';
import { Callers } from './index.ts';

describeApp('merged policies', (app) => {
  const people: Record<string, string> = {};

  before(async () => {
    for (const account of ['first', 'second', 'third'])
      people[account] = (await app.people.owner(account)).userId;
  });

  /** Makes callers over records that count reads of policies, and may fail. */
  const counted = (mergedMax?: number) => {
    const seen = { merges: 0, failures: 0 };
    const plugin: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (!result.rows.some((row) => 'document' in row)) return result;
        seen.merges += 1;
        if (seen.merges <= seen.failures) throw new Error('the connection was lost');
        return result;
      },
    };
    const { records } = app.people;
    const read: Reader = records.read.withPlugin(plugin);
    const callers = new Callers({ read, onChange: () => undefined }, mergedMax);
    const resolve = (account: string) =>
      callers.resolve({ userId: people[account] ?? '', via: 'job', keyAccount: account });
    return { seen, resolve };
  };

  test('the policies of an account are merged once for all its callers', async () => {
    const { seen, resolve } = counted();
    for (const account of ['first', 'second', 'first', 'second']) await resolve(account);
    assert.equal(seen.merges, 2);
  });

  test('the cache of merged policies is bounded, the most recently used stay', async () => {
    const { seen, resolve } = counted(2);
    for (const account of ['first', 'second', 'first', 'third', 'first']) await resolve(account);
    assert.equal(seen.merges, 3);
    await resolve('second');
    assert.equal(seen.merges, 4);
  });

  test('a failed merge is not cached', async () => {
    const { seen, resolve } = counted();
    seen.failures = 1;
    await assert.rejects(resolve('first'));
    await resolve('first');
    assert.equal(seen.merges, 2);
  });

  test('a change is later than all before it, by a clock behind too: other processes know it by that', async (context) => {
    const owner = await app.people.owner('clocks');
    const times = async () => {
      const policies = app.people.records.read.selectFrom('policies').where('account_id', '=', owner.account);
      return (await policies.select('updated_at').execute()).map((row) => row.updated_at);
    };
    const before = Math.max(...(await times()));
    context.mock.method(Date, 'now', () => before - 60_000);
    const made = await app.call('POST', '/v1/policies', {
      ...owner,
      body: { name: 'Late', policy: { rules: {} } },
    });
    const changed = await app.call('PUT', `/v1/policies/${made.body.id}`, {
      ...owner,
      body: { policy: { rules: { auditRead: true } } },
    });
    context.mock.restoreAll();
    assert.deepEqual([made.status, changed.status], [200, 200], changed.text);
    assert.equal(Math.max(...(await times())), before + 2);
  });
});
