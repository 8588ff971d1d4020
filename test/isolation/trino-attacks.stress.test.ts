/** Attacks on the lake over the Trino protocol, and what readers of masked data see there. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnSqlite } from '../support/app.ts';
import { TrinoClient } from '../support/trino.ts';
import { until } from '../support/until.ts';
import { bombs, oversized, refused, run } from './attacks.ts';
import { type Household, householdSettings, openHousehold } from './world.ts';

const path = '/v1/analytics/data-lake/query';
const settings = {
  ...householdSettings,
  PLOIDY_QUERIES_MAX: '4',
  PLOIDY_QUERY_TIME: '4s',
  PLOIDY_QUERY_MEMORY: '128MiB',
  PLOIDY_QUERY_RESULT_MAX: '1MiB',
};

/** Statements about the door itself: metadata are answered there, with what the caller may see. */
const metadata =
  /^(?:SELECT \* FROM information_schema\.tables|SELECT view_definition|DEALLOCATE|EXECUTE|EXPLAIN|DESCRIBE patient|SHOW|BEGIN|PREPARE)/;

describeOnSqlite(
  'attacks over the Trino protocol',
  (app) => {
    let analyst: Household;
    let victim: Household;
    let client: TrinoClient;
    let schema: Record<string, string>;

    before(async () => {
      [analyst, victim] = await Promise.all([openHousehold(app, 'analyst'), openHousehold(app, 'victim')]);
      schema = { 'x-trino-schema': analyst.ids.project };
      client = new TrinoClient(app.address, analyst.owner.key);
    });

    const assertClean = (text: string, statement: string): void => {
      for (const secret of [app.folder, process.cwd(), 'read_parquet(', 'COPY (', '.ts:', victim.mark])
        assert.ok(!text.includes(secret) || statement.includes(secret), `${statement} → ${text}`);
    };

    test('statements that want more than the tables of the project are refused in clean words', async () => {
      const accepted: string[] = [];
      for (const one of refused) {
        const statement = one
          .replaceAll('OTHER', victim.ids.project)
          .replaceAll(/FILE|SEGMENT|BLOBS/g, app.folder);
        const { error, rows } = await client.run(statement, schema);
        if (!error && !metadata.test(one)) accepted.push(`${one} → ${JSON.stringify(rows)}`);
        assertClean(JSON.stringify([error, rows]), statement);
      }
      assert.deepEqual(accepted, []);
    });

    test('qualified names of other projects, of the catalogue and of the engine open nothing', async () => {
      const { project } = victim.ids;
      for (const statement of [
        `SELECT * FROM ploidy."${project}".patient`,
        `SELECT * FROM "${project}".patient`,
        'SELECT * FROM ploidy.first_mark_of_victim.patient',
        'SELECT * FROM main.information_schema.tables',
        'SELECT * FROM system.jdbc.columns, patient',
        'SELECT * FROM system.main.duckdb_views',
        'SELECT * FROM memory.main.patient_secret',
        'WITH patient AS (SELECT * FROM duckdb_tables()) SELECT * FROM patient',
        `EXECUTE IMMEDIATE 'EXECUTE IMMEDIATE ''SELECT * FROM "${project}".patient'''`,
        `EXECUTE IMMEDIATE 'SELECT ?' USING (SELECT count(*) FROM "${project}".patient)`,
        `EXECUTE IMMEDIATE 'SELECT * FROM patient WHERE ?' USING read_text('/etc/passwd')`,
        `USE ploidy."${project}"`,
        `SHOW TABLES FROM "${project}"`,
        `DESCRIBE ploidy."${project}".patient`,
      ]) {
        const { error, rows } = await client.run(statement, schema);
        assert.ok(error, `${statement} → ${JSON.stringify(rows)}`);
        assertClean(error.message, statement);
      }
      const { rows } = await client.run('SELECT table_schem FROM system.jdbc.schemas');
      assert.ok(!JSON.stringify(rows).includes('victim'), JSON.stringify(rows));
    });

    test('large, strange and exhausting statements end within their limits, and the service goes on', async () => {
      // A lone surrogate has no form in UTF-8: a client cannot send it.
      for (const statement of oversized.filter((one) => one.isWellFormed()))
        assert.ok((await client.run(statement, schema)).error, statement.slice(0, 60));
      for (const statement of run)
        assertClean(JSON.stringify(await client.run(statement, schema)), statement);
      for (const headers of [schema, {}]) {
        const ends = await Promise.all(bombs.map((statement) => client.run(statement, headers)));
        for (const [index, { error }] of ends.entries()) assert.ok(error, bombs[index] ?? '');
      }
      const { rows } = await client.run('SELECT count(*) FROM patient', schema);
      assert.deepEqual(rows, [[2]]);
    });

    test('a reader of masked data sees row by row what the result file of a query holds', async () => {
      const { key } = await app.people.member('analyst', ['readMaskedData']);
      const sender = { key, account: 'analyst' };
      const masked = new TrinoClient(app.address, key);
      for (const query of [
        'SELECT * FROM patient ORDER BY 1, 2',
        'SELECT patient_id, dob FROM patient ORDER BY patient_id',
        'SELECT count(*) FROM patient',
      ]) {
        const body = { datasetId: analyst.ids.project, query, outputFileName: 'm.ndjson', format: 'ndjson' };
        const { queryId } = (await app.call('POST', path, { body, ...sender })).body;
        const read = () => app.call('GET', `${path}/${queryId}`, sender);
        await until(async () => (await read()).body.state === 'succeeded', query);
        const { text } = await app.call('GET', `/v1/files/${queryId}`, sender);
        const lines = text
          .split('\n')
          .filter(Boolean)
          .map((line) => Object.values(JSON.parse(line)));
        const { rows, error } = await masked.run(query, schema);
        assert.deepEqual([error, rows], [undefined, lines], query);
        assert.ok(!JSON.stringify(rows).includes(analyst.mark), query);
      }
      const { error } = await masked.run(
        'SELECT CAST(data AS INTEGER), error(patient_id) FROM patient',
        schema,
      );
      assert.ok(error === undefined || !JSON.stringify(error).includes(analyst.mark));
    });

    test('a right that was withdrawn, and a revoked key, open no further page', async () => {
      const { key } = await app.people.member('analyst', ['readData']);
      const reader = new TrinoClient(app.address, key);
      const uri = await reader.send('SELECT * FROM patient', schema);
      const own = { key, account: 'analyst' };
      const [{ id }] = (await app.call('GET', '/v1/api-keys', own)).body.items;
      assert.equal((await app.call('DELETE', `/v1/api-keys/${id}`, own)).status, 204);
      assert.equal((await reader.ask(uri)).status, 401);
      const nobody = new TrinoClient(app.address, (await app.people.member('analyst', [])).key, {
        'x-trino-user': analyst.owner.userId,
      });
      assert.equal((await nobody.run('SELECT * FROM patient', schema)).error.errorName, 'SCHEMA_NOT_FOUND');
      assert.deepEqual((await nobody.run('SHOW SCHEMAS')).rows, [['information_schema']]);
    });
  },
  settings,
  { queryTemporaryBytes: 16 * 2 ** 20 },
);
