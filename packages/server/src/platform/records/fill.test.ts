import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresSkip, startPostgres } from '../../../../../test/support/postgres.ts';
import { silent } from '../../../../../test/support/records.ts';
import { FilledMeanwhile, fillRecords, openRecords } from './index.ts';

test('a database that somebody else has filled meanwhile is not filled once more', {
  skip: postgresSkip,
}, async (context) => {
  const database = await startPostgres();
  context.after(() => database.stop());
  const place = { folder: '', databaseUrl: database.url };
  await (await openRecords({ ...place, log: silent })).close();
  await assert.rejects(
    fillRecords(place, async () => assert.fail('nothing is begun')),
    FilledMeanwhile,
  );
});
