import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { testOnNoRecords } from '../../../../../test/support/records.ts';
import { statementsOf } from './columns.ts';
import { newerStep } from './migrate.ts';
import { migrations } from './migrations/index.ts';

testOnNoRecords('processes that start at once on an empty store bring it forward once', async ({ open }) => {
  const opened = await Promise.all([open(), open(), open(), open()]);
  for (const records of opened) await records.check();
});

testOnNoRecords('a store that a newer version wrote is refused with what to do', async ({ open }) => {
  const newer = { ...migrations, '9999-future': { up: async () => undefined } };
  await (await open({ migrations: newer })).close();
  await assert.rejects(open(), /newer version \(it made the change "9999-future"\): start that version/);
});

const last = Object.keys(migrations).at(-1) ?? '';
const addsNote = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of statementsOf(db, 'alter table changes add column note text'))
    await sql.raw(statement).execute(db);
};

testOnNoRecords(
  'a version works beside later steps that name one of its own, and ends for others',
  async ({ open }) => {
    const older = await open();
    const beside = { ...migrations, '9998-adds': { up: addsNote, beside: last } };
    const newer = await open({ migrations: beside });
    assert.equal(await newerStep(older.read), undefined);
    for (const records of [older, newer]) await records.transact((tx) => records.announce(tx, 'kept'));
    await (await open()).check();
    const after = { ...beside, '9999-removes': { up: async () => undefined } };
    await (await open({ migrations: after })).close();
    assert.equal(await newerStep(older.read), '9999-removes');
    await assert.rejects(open(), /newer version \(it made the change "9999-removes"\): start that version/);
  },
);

testOnNoRecords('a version ends for a step beside which only later versions work', async ({ open }) => {
  const older = await open();
  const first = { ...migrations, '9997-first': { up: async () => undefined, beside: last } };
  const second = { ...first, '9998-second': { up: addsNote, beside: '9997-first' } };
  const between = await open({ migrations: first });
  await (await open({ migrations: second })).close();
  assert.equal(await newerStep(older.read), '9998-second');
  assert.equal(await newerStep(between.read, first), undefined);
});

testOnNoRecords(
  'a store that a build before the first release wrote is refused with the way to keep it',
  async ({ open }) => {
    await (await open()).close();
    const records = await open();
    await records.transact((tx) =>
      sql`update schema_migrations set name = '0000-platform' where name = '0001-initial'`.execute(tx),
    );
    await records.close();
    await assert.rejects(open(), /a build before 0\.1\.0.*"ploidy admin restore FOLDER"/);
  },
);

testOnNoRecords('a store that a build between releases wrote is not reported as newer', async ({ open }) => {
  const between = { ...migrations, '0001-unreleased': { up: async () => undefined } };
  await (await open({ migrations: between })).close();
  await assert.rejects(open(), /build that was never released \(it made the change "0001-unreleased"\)/);
});

testOnNoRecords('a step that fails leaves the store as it was', async ({ open }) => {
  await (await open()).close();
  const broken = {
    ...migrations,
    '9998-good': { up: async (db) => db.schema.createTable('half').addColumn('id', 'text').execute() },
    '9999-bad': {
      up: async () => {
        throw new Error('bad step');
      },
    },
  } satisfies typeof migrations;
  await assert.rejects(open({ migrations: broken }), /bad step/);
  const records = await open();
  const tables = await records.read.introspection.getTables();
  assert.equal(
    tables.some((table) => table.name === 'half'),
    false,
  );
  assert.ok(tables.some((table) => table.name === 'jobs'));
});

testOnNoRecords('an upgrade keeps the rows and runs each later step once', async ({ open }) => {
  const before = await open();
  await before.transact((tx) => before.announce(tx, 'kept'));
  await before.close();
  let runs = 0;
  const later = {
    ...migrations,
    '9999-later': {
      up: async (db) => {
        runs += 1;
        for (const statement of statementsOf(db, "alter table changes add column note text default 'n'"))
          await sql.raw(statement).execute(db);
      },
    },
  } satisfies typeof migrations;
  for (let start = 0; start < 2; start += 1) {
    const records = await open({ migrations: later });
    const { rows } = await sql`select topic, note from changes`.execute(records.read);
    assert.deepEqual(rows, [{ topic: 'kept', note: 'n' }]);
    await records.close();
  }
  assert.equal(runs, 1);
});

test('steps run in the order of their names', () => {
  assert.deepEqual(Object.keys(migrations), Object.keys(migrations).sort());
});

test('every step in the folder is in the list, under its own name', () => {
  const files = readdirSync(join(import.meta.dirname, 'migrations')).filter((name) =>
    /^\d.*\.ts$/.test(name),
  );
  assert.deepEqual(files.map((name) => name.replace(/\.ts$/, '')).sort(), Object.keys(migrations).sort());
});
