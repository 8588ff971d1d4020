import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { startPostgres } from '../../../../../test/support/postgres.ts';
import { silent, testOnDialect, testOnNoRecords } from '../../../../../test/support/records.ts';
import { FilledMeanwhile, fillRecords, openRecords, type TableShape } from './index.ts';
import { migrations } from './migrations/index.ts';

testOnDialect(
  'postgres',
  'a database that another process filled meanwhile is not filled again',
  async (context) => {
    const database = await startPostgres();
    context.after(() => database.stop());
    const place = { folder: '', databaseUrl: database.url };
    await (await openRecords({ ...place, log: silent })).close();
    await assert.rejects(
      fillRecords(place, async () => assert.fail('nothing is begun')),
      FilledMeanwhile,
    );
  },
);

testOnNoRecords(
  'rows of an older schema are filled first and then changed by the later steps',
  async ({ open, settings }) => {
    const later = {
      ...migrations,
      '9999-later': {
        up: (db) => sql`update changes set topic = 'changed'`.execute(db).then(() => undefined),
      },
    } satisfies typeof migrations;
    const older = Object.keys(migrations);
    const shape: TableShape = {
      name: 'changes',
      columns: ['seq', 'topic', 'at'],
      key: ['seq'],
      counted: 'seq',
    };
    await fillRecords(
      settings,
      async (filling) => {
        await filling.begin(older);
        await filling.add(shape, [[7, 'old', Date.now()]]);
        await filling.complete([shape]);
      },
      later,
    );
    const records = await open({ migrations: later });
    await records.transact((tx) => records.announce(tx, 'next'));
    const rows = await records.read.selectFrom('changes').select(['seq', 'topic']).orderBy('seq').execute();
    assert.deepEqual(rows, [
      { seq: 7, topic: 'changed' },
      { seq: 8, topic: 'next' },
    ]);
  },
);
