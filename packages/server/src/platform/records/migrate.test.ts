import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testOnNoRecords } from '../../../../../test/support/records.ts';
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

test('every step in the folder is in the list, under its own name', () => {
  const files = readdirSync(join(import.meta.dirname, 'migrations')).filter((name) => name !== 'index.ts');
  assert.deepEqual(files.map((name) => name.replace(/\.ts$/, '')).sort(), Object.keys(migrations).sort());
});
