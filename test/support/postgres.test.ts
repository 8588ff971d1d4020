import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { postgresSkip, startPostgres } from './postgres.ts';

test('every call returns an empty database of its own, removed after stop', {
  skip: postgresSkip,
}, async () => {
  const [one, other] = await Promise.all([startPostgres(), startPostgres()]);
  const client = new pg.Client({ connectionString: one.url });
  await client.connect();
  await client.query('create table here (id int)');
  await client.end();
  const second = new pg.Client({ connectionString: other.url });
  await second.connect();
  const { rows } = await second.query("select to_regclass('here') as found");
  assert.deepEqual(rows, [{ found: null }]);
  await second.end();
  await Promise.all([one.stop(), other.stop()]);
  await assert.rejects(new pg.Client({ connectionString: one.url }).connect(), { code: '3D000' });
});
