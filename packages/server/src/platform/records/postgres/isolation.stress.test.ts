import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { postgresSkip, startPostgres } from '../../../../../../test/support/postgres.ts';
import { silent } from '../../../../../../test/support/records.ts';
import { openRecords } from '../index.ts';

test('transactions see earlier commits, at any default level of the database', {
  skip: postgresSkip,
}, async (context) => {
  const database = await startPostgres();
  context.after(() => database.stop());
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows: names } = await client.query<{ name: string }>('select current_database() as name');
  const name = client.escapeIdentifier(names[0]?.name ?? '');
  await client.query(`alter database ${name} set default_transaction_isolation = 'serializable'`);
  await client.end();
  const records = await openRecords({ folder: '', databaseUrl: database.url, log: silent });
  context.after(() => records.close());
  const level = await records.transact(async (tx) => {
    const query = tx.selectNoFrom(sql<string>`current_setting('transaction_isolation')`.as('level'));
    return (await query.executeTakeFirstOrThrow()).level;
  });
  assert.equal(level, 'read committed');
});
