import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../test/support/records.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import { Audit, verifyChain, verifyChains } from './index.ts';

const account = 'chained';
const count = 2500;

async function fill(records: Records): Promise<Audit> {
  const audit = new Audit(records);
  await records.transact(async (tx) => {
    for (let at = 0; at < count; at++) await append(audit, tx);
  });
  return audit;
}

function append(audit: Audit, tx: Transaction): Promise<void> {
  const resource = { type: 'file' as const, id: 'f' };
  return audit.append(tx, {
    account,
    userId: 'u',
    via: 'test',
    action: 'files.read',
    resource,
    outcome: 'done',
  });
}

// asvs: 16.4.2
testOnRecords(
  'any manipulation of a chain outside the service is detected, with its position',
  async ({ open }) => {
    const records = await open();
    await fill(records);
    const events = (tx: Transaction, sequence: number) =>
      tx
        .selectFrom('audit_events')
        .selectAll()
        .where('account_id', '=', account)
        .where('sequence', '=', sequence);
    const change = (tx: Transaction, sequence: number, set: object) =>
      tx
        .updateTable('audit_events')
        .set(set)
        .where('account_id', '=', account)
        .where('sequence', '=', sequence)
        .execute();
    const remove = (tx: Transaction, from: number) =>
      tx.deleteFrom('audit_events').where('account_id', '=', account).where('sequence', '>=', from);
    const head = (tx: Transaction, set: object) =>
      tx.updateTable('audit_heads').set(set).where('account_id', '=', account).execute();
    const attacks: Record<string, [(tx: Transaction) => Promise<unknown>, number]> = {
      edited: [(tx) => change(tx, 1200, { outcome: 'refused' }), 1200],
      'edited with a new hash': [(tx) => change(tx, 1200, { action: 'b', hash: 'f'.repeat(64) }), 1200],
      'moved in time': [(tx) => change(tx, 7, { at: 5 }), 7],
      removed: [(tx) => remove(tx, 1500).where('sequence', '=', 1500).execute(), 1500],
      'the first one removed': [(tx) => remove(tx, 1).where('sequence', '=', 1).execute(), 1],
      reordered: [
        async (tx) => {
          await change(tx, 20, { sequence: -1 });
          await change(tx, 21, { sequence: 20 });
          await change(tx, -1, { sequence: 21 });
        },
        20,
      ],
      inserted: [
        async (tx) => {
          const last = await events(tx, count).executeTakeFirstOrThrow();
          await tx
            .insertInto('audit_events')
            .values({ ...last, sequence: count + 1 })
            .execute();
        },
        count + 1,
      ],
      'cut at the end': [(tx) => remove(tx, count).execute(), count],
      'cut at a whole page': [(tx) => remove(tx, 2001).execute(), 2001],
      emptied: [(tx) => remove(tx, 1).execute(), 1],
      'head put back': [
        async (tx) => {
          const { hash } = await events(tx, 10).executeTakeFirstOrThrow();
          await head(tx, { sequence: 10, hash });
        },
        11,
      ],
      'head with another hash': [(tx) => head(tx, { hash: '1'.repeat(64) }), count + 1],
      'without its head': [
        (tx) => tx.deleteFrom('audit_heads').where('account_id', '=', account).execute(),
        1,
      ],
    };
    const rollBack = new Error('rolled back');
    for (const [name, [attack, brokenAt]] of Object.entries(attacks)) {
      const attempt = records.transact(async (tx) => {
        await attack(tx);
        assert.equal((await verifyChain(tx, account)).brokenAt, brokenAt, name);
        assert.deepEqual(
          (await verifyChains(tx)).map((report) => report.brokenAt),
          [brokenAt],
          name,
        );
        throw rollBack;
      });
      await assert.rejects(attempt, rollBack);
    }
    assert.deepEqual(await verifyChain(records.read, account), { account, events: count });
  },
);

testOnRecords('an account without any log is broken at its first event', async ({ open }) => {
  const records = await open();
  const row = {
    id: 'emptied',
    name: 'x',
    type: 'FREE',
    owner_id: 'u',
    assistants: 'off' as const,
    deletion_at: null,
    created_at: 0,
  };
  await records.transact((tx) => tx.insertInto('accounts').values(row).execute());
  assert.deepEqual(await verifyChains(records.read), [{ account: 'emptied', events: 0, brokenAt: 1 }]);
});

testOnRecords('a chain that grows while it is verified is complete', async ({ open }) => {
  const records = await open();
  const audit = await fill(records);
  let walking = true;
  const writing = (async () => {
    while (walking) await records.transact((tx) => append(audit, tx));
  })();
  const reports = await Promise.all([1, 2, 3].map(() => verifyChain(records.read, account)));
  walking = false;
  await writing;
  for (const { brokenAt } of reports) assert.equal(brokenAt, undefined);
});
