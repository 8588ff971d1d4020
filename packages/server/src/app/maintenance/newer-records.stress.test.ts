import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnPostgres } from '../../../../../test/support/app.ts';
import { silent, testOnRecords } from '../../../../../test/support/records.ts';
import { openRecords } from '../../platform/records/index.ts';
import { migrations } from '../../platform/records/migrations/index.ts';
import { newerRecordsWatch } from './newer-records.ts';

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

describeOnPostgres('a service beside a newer version', (app) => {
  test('a service ends when a newer version migrates its records', async () => {
    const databaseUrl = app.settings['PLOIDY_DATABASE_URL'] ?? '';
    const records = await openRecords({ folder: app.folder, databaseUrl, migrations: newer, log: silent });
    await records.close();
    assert.match((await app.app.failed).message, /newer version/);
  });
});
