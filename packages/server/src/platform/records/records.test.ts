import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { isUniqueViolation } from './errors.ts';
import type { Records, Transaction } from './records.ts';

const job = (id: string) => ({
  id,
  kind: 'k',
  state: 'queued' as const,
  payload: '{}',
  attempts: 0,
  attempts_max: 1,
  exclusive_key: '',
  not_before: 0,
  created_at: 1_700_000_000_000,
});
const add = (tx: Transaction, id: string) => tx.insertInto('jobs').values(job(id)).execute();
const ids = async (records: Records) => {
  const rows = await records.read.selectFrom('jobs').select('id').orderBy('seq').execute();
  return rows.map((row) => row.id);
};

// asvs: 2.3.3
testOnRecords('a thrown transaction leaves no trace while its batch-mates commit', async ({ open }) => {
  const records = await open();
  const results = await Promise.allSettled(
    ['a', 'b', 'c', 'd'].map((id) =>
      records.transact(async (tx) => {
        await add(tx, id);
        await add(tx, `${id}2`);
        if (id === 'b') throw new Error('no');
        if (id === 'c') await add(tx, 'c');
        return id;
      }),
    ),
  );
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : 'rejected')),
    ['a', 'rejected', 'rejected', 'd'],
  );
  assert.deepEqual((await ids(records)).sort(), ['a', 'a2', 'd', 'd2']);
});

testOnRecords('a unique violation is distinguished from other errors', async ({ open }) => {
  const records = await open();
  await records.transact((tx) => add(tx, 'a'));
  const failure = (run: (tx: Transaction) => Promise<unknown>) =>
    records.transact(run).then(
      () => undefined,
      (error: unknown) => error,
    );
  assert.equal(isUniqueViolation(await failure((tx) => add(tx, 'a'))), true);
  assert.equal(isUniqueViolation(await failure((tx) => sql`select * from nowhere`.execute(tx))), false);
  assert.equal(
    isUniqueViolation(await failure((tx) => sql`insert into jobs (id) values ('x')`.execute(tx))),
    false,
  );
  assert.equal(isUniqueViolation(undefined), false);
  const double = await failure((tx) => add(tx, 'a'));
  assert.equal(isUniqueViolation(double, 'jobs'), true);
  assert.equal(isUniqueViolation(double, 'projects'), false);
});

testOnRecords('a read sees what was acknowledged before, and cannot write', async ({ open }) => {
  const records = await open();
  for (let number = 0; number < 20; number += 1) {
    await records.transact((tx) => add(tx, `j${number}`));
    assert.equal((await ids(records)).length, number + 1);
  }
  await assert.rejects(records.read.insertInto('jobs').values(job('x')).execute(), /read.?only/i);
  await assert.rejects(async () => records.read.transaction().execute(async () => undefined), /transact/);
});

testOnRecords(
  'a transaction inside a transaction is refused instead of waiting for ever',
  async ({ open }) => {
    const records = await open();
    let late: Promise<unknown> = Promise.resolve();
    await assert.rejects(
      records.transact(async () => records.transact((tx) => add(tx, 'inner'))),
      /inside a transaction/,
    );
    await records.transact(async (tx) => {
      await add(tx, 'outer');
      // Begun inside, runs after.
      late = new Promise((resolve) => setImmediate(resolve)).then(() =>
        records.transact((later) => add(later, 'late')),
      );
    });
    await late;
    assert.deepEqual(await ids(records), ['outer', 'late']);
  },
);

testOnRecords('a query after the end of its transaction is refused', async ({ open }) => {
  const records = await open();
  let kept: Transaction | undefined;
  await records.transact(async (tx) => {
    kept = tx;
  });
  const lateTx = kept;
  assert.ok(lateTx);
  await assert.rejects(
    records.transact(async () => add(lateTx, 'late')),
    /has ended/,
  );
  assert.deepEqual(await ids(records), []);
});

testOnRecords(
  'a transaction whose query failed is not committed even when the error was caught',
  async ({ open }) => {
    const records = await open();
    await records.transact((tx) => add(tx, 'a'));
    const attempt = records.transact(async (tx) => {
      await add(tx, 'b');
      await add(tx, 'a').catch(() => undefined);
    });
    await assert.rejects(attempt, (error) => isUniqueViolation(error));
    assert.deepEqual(await ids(records), ['a']);
  },
);

testOnRecords('numbers, changed rows and row shapes are alike on both stores', async ({ open }) => {
  const records = await open();
  await records.transact(async (tx) => {
    await add(tx, 'a');
    await add(tx, 'b');
    const changed = await tx.updateTable('jobs').set({ kind: 'z' }).where('id', '=', 'a').executeTakeFirst();
    assert.equal(changed.numUpdatedRows, 1n);
    const gone = await tx.deleteFrom('jobs').where('id', '=', 'b').returning(['id', 'not_before']).execute();
    assert.deepEqual(gone, [{ id: 'b', not_before: 0 }]);
  });
  const row = await records.read
    .selectFrom('jobs')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number>('created_at').as('sum')])
    .executeTakeFirstOrThrow();
  assert.deepEqual(row, { count: 1, sum: 1_700_000_000_000 });
});

testOnRecords('text made for ordering sorts by code point', async ({ open }) => {
  const records = await open();
  const keys = ['b', 'A', 'a', 'ä', 'Z', '_', 'é', 'B', '~'];
  await records.transact(async (tx) => {
    for (const key of keys)
      await tx
        .insertInto('jobs')
        .values({ ...job(key), exclusive_key: key })
        .execute();
  });
  const rows = await records.read
    .selectFrom('jobs')
    .select('exclusive_key')
    .orderBy('exclusive_key')
    .execute();
  assert.deepEqual(
    rows.map((row) => row.exclusive_key),
    [...keys].sort(),
  );
});

testOnRecords('closing waits for earlier queries and refuses later ones', async ({ open }) => {
  const records = await open();
  // More than there are connections.
  const written = Array.from({ length: 30 }, (_, number) => `j${number}`).sort();
  const pending = Promise.all(written.map((id) => records.transact((tx) => add(tx, id))));
  await Promise.all([pending, records.close()]);
  await assert.rejects(
    records.transact((tx) => add(tx, 'x')),
    /closed/,
  );
  assert.deepEqual((await ids(await open())).sort(), written);
});

testOnRecords('readiness holds while the store works', async ({ open }) => {
  await (await open()).check();
});
