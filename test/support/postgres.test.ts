import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { openTestApp } from './app.ts';
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

/** The rest of what the service does on PostgreSQL is in `npm run test:stress`. */
test('a service on PostgreSQL accepts a file, ingests it and answers a query about it', {
  skip: postgresSkip,
}, async () => {
  const database = await startPostgres();
  const app = await openTestApp({ PLOIDY_DATABASE_URL: database.url });
  try {
    const project = await TestProject.make(app.call, 'Smoke');
    await project.take('p.ndjson', fhirText('p', 3, 1));
    const asked = { query: 'select count(*) as n from patient', datasetId: project.id };
    const { body } = await app.call('POST', '/v1/analytics/data-lake/rows', { body: asked });
    assert.deepEqual(body.rows, [[3]]);
  } finally {
    await app.stop();
    await database.stop();
  }
});
