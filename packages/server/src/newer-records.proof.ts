import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { postgresSkip, startPrepared } from '../../../test/support/postgres.ts';
import { silent, testOnRecords } from '../../../test/support/records.ts';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { openLog } from './log.ts';
import { newerRecordsWatch } from './newer-records.ts';
import { openRecords } from './platform/records/index.ts';
import { migrations } from './platform/records/migrations/index.ts';

const newer = { ...migrations, '9999-future': { up: async () => undefined } };

testOnRecords(
  'a process goes on beside others of its version, and ends beside a newer one',
  async ({ open }) => {
    const ends: string[] = [];
    const look = newerRecordsWatch(await open(), ({ message }) => ends.push(message));
    await look();
    await open();
    await look();
    assert.deepEqual(ends, []);
    await open({ migrations: newer });
    await look();
    assert.match(ends.join(), /"9999-future".*start that version here, too/);
  },
);

test('a service on PostgreSQL ends when a newer version brings its records forward', {
  skip: postgresSkip,
}, async (context) => {
  const database = await startPrepared();
  context.after(() => database.stop());
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-newer-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { PLOIDY_DATA_DIR: folder, PLOIDY_PORT: '0', PLOIDY_IDLE_WORKERS: '0' };
  const config = readConfig({ ...settings, PLOIDY_DATABASE_URL: database.url });
  const app = await createApp(config, openLog('silent'));
  await app.start();
  const records = await openRecords({ folder, databaseUrl: database.url, migrations: newer, log: silent });
  await records.close();
  assert.match((await app.failed).message, /newer version/);
  await app.stop();
});
