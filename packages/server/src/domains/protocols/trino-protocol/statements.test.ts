import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { TrinoClient } from '../../../../../../test/support/trino.ts';

const inSchema = { 'x-trino-catalog': 'ploidy', 'x-trino-schema': 'trino_rows' };

describeApp('statements over the Trino protocol', (app) => {
  let client: TrinoClient;
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Trino rows');
    await project.take('p.ndjson', fhirText('p', 3, 1));
    client = new TrinoClient(app.address, app.key);
  });

  test('a statement answers its columns and rows, by every name of its table', async () => {
    const names = [
      'trino_rows.patient',
      'ploidy.trino_rows.patient',
      `"${project.id}".patient`,
      '"Trino rows".patient',
    ];
    for (const name of names) {
      const { columns, rows, error } = await client.run(`SELECT count(*) AS n, 'a "b"' AS t FROM ${name}`);
      assert.deepEqual([error, rows], [undefined, [[3, 'a "b"']]], name);
      assert.deepEqual(
        columns.map(({ name, type }) => [name, type]),
        [
          ['n', 'bigint'],
          ['t', 'varchar'],
        ],
      );
    }
    const columns = ['p.patient_id', 'trino_rows.patient.patient_id', 'ploidy.trino_rows.patient.patient_id'];
    const { rows: ids } = await client.run('SELECT patient_id FROM patient ORDER BY 1', inSchema);
    assert.equal(ids.length, 3);
    for (const column of columns) {
      const from = column.startsWith('p.') ? 'patient AS p' : 'trino_rows.patient';
      const { rows, error } = await client.run(`SELECT ${column} FROM ${from} ORDER BY 1`, inSchema);
      assert.deepEqual([error, rows], [undefined, ids], column);
    }
    const star = await client.run('SELECT trino_rows.patient.* FROM ploidy.trino_rows.patient');
    assert.deepEqual([star.error, star.rows.length], [undefined, 3]);
    const named = 'WITH patient AS (SELECT 1 AS one) SELECT count(*) FROM trino_rows.patient';
    assert.deepEqual((await client.run(named)).rows, [[3]]);
  });

  test('the relations that dbt lists are tables, since the lake has no materialized views', async () => {
    const statement = `select t.table_catalog as database, t.table_name as name, t.table_schema as schema,
      case when mv.name is not null then 'materialized_view' when t.table_type = 'BASE TABLE' then 'table'
        when t.table_type = 'VIEW' then 'view' else t.table_type end as table_type
      from "ploidy".INFORMATION_SCHEMA.tables t left join (
        select * from system.metadata.materialized_views where catalog_name = 'ploidy' and schema_name = 'trino_rows'
      ) mv on mv.catalog_name = t.table_catalog and mv.schema_name = t.table_schema and mv.name = t.table_name
      where t.table_schema = 'trino_rows'`;
    const { rows, error } = await client.run(statement);
    assert.equal(error, undefined);
    assert.ok(rows.some((row) => JSON.stringify(row) === '["ploidy","patient","trino_rows","table"]'));
    assert.ok(rows.every(([, , , kind]) => kind === 'table'));
    const all = await client.run('SELECT * FROM system.metadata.materialized_views');
    assert.deepEqual([all.error, all.columns.length, all.rows], [undefined, 10, []]);
  });

  test('the first answer has neither rows nor an error, and pages follow each other', async () => {
    const uri = await client.send(
      `SELECT n, rpad('x', 1000, 'y') FROM (SELECT unnest(range(10000)) AS n) ORDER BY n`,
      inSchema,
    );
    const answer = await client.read(uri);
    assert.equal(answer.error, undefined);
    assert.ok(answer.pages > 2, `${answer.pages} pages`);
    assert.deepEqual(
      answer.rows.map(([n]) => n),
      Array.from({ length: 10_000 }, (_, n) => n),
    );
    const again = await (await client.ask(uri)).text();
    assert.equal(again, await (await client.ask(uri)).text());
  });

  test('faults have the names, numbers and places of Trino', async () => {
    const cases: [sql: string, name: string, message: RegExp][] = [
      ['SELECT nope FROM patient', 'COLUMN_NOT_FOUND', /^line 1:8: Column 'nope' cannot be resolved$/],
      ['SELECT nope FROM ploidy.trino_rows.patient', 'COLUMN_NOT_FOUND', /^line 1:8: /],
      ['SELECT 1 FROM nope', 'TABLE_NOT_FOUND', /^line 1:15: Table 'nope' does not exist$/],
      ['SELECT 1 FROM ploidy.nope.patient', 'SCHEMA_NOT_FOUND', /^line 1:15: Schema 'nope' does not exist$/],
      ['SELECT 1 FROM nope.patient', 'SCHEMA_NOT_FOUND', /Schema 'nope' does not exist/],
      ['SELECT nope(1)', 'FUNCTION_NOT_FOUND', /^line 1:8: Function 'nope'/],
      ['SELECT\n  1 +', 'SYNTAX_ERROR', /^line 2:/],
      ['INSERT INTO patient VALUES (1)', 'NOT_SUPPORTED', /INSERT/],
      ["SET TIME ZONE 'Europe/Berlin'", 'NOT_SUPPORTED', /SET TIME/],
      ['SET ROLE admin', 'NOT_SUPPORTED', /SET ROLE/],
      ['SHOW SESSION', 'NOT_SUPPORTED', /SHOW SESSION/],
      ['SELECT CAST(patient_id AS INTEGER) FROM patient', 'INVALID_CAST_ARGUMENT', /./],
      ['EXECUTE nope', 'NOT_FOUND', /Prepared statement not found: nope/],
      ['USE nope', 'SCHEMA_NOT_FOUND', /Schema 'nope' does not exist/],
    ];
    for (const [sql, name, message] of cases) {
      const { error } = await client.run(sql, inSchema);
      assert.equal(error?.errorName, name, `${sql}: ${JSON.stringify(error)}`);
      assert.match(error.message, message, sql);
    }
    const { error } = await client.run('SELECT 1 FROM patient');
    assert.equal(error.errorName, 'MISSING_SCHEMA_NAME');
  });

  test('a session changes in the client, and constants take the place of parameters', async () => {
    const use = await client.run('USE ploidy.trino_rows');
    assert.deepEqual(
      [use.updateType, use.rows, use.headers.get('x-trino-set-schema')],
      ['USE', [[true]], 'trino_rows'],
    );
    const set = await client.run("SET SESSION query_max_run_time = '2s'");
    assert.equal(set.headers.get('x-trino-set-session'), 'query_max_run_time=2s');
    const prepare = await client.run(
      'PREPARE s FROM SELECT ? AS a, count(*) AS n FROM patient WHERE patient_id <> ?',
    );
    const header = prepare.headers.get('x-trino-added-prepare') ?? '';
    const session = { ...inSchema, 'x-trino-prepared-statement': header };
    const { rows, error } = await client.run("EXECUTE s USING DATE '2024-01-01', 'it''s ? --'", session);
    assert.deepEqual([error, rows], [undefined, [['2024-01-01', 3]]]);
    const input = await client.run('DESCRIBE INPUT s', session);
    assert.deepEqual(input.rows, [
      [0, 'unknown'],
      [1, 'unknown'],
    ]);
    const output = await client.run('DESCRIBE OUTPUT s', session);
    assert.deepEqual(
      output.rows.map(([name]) => name),
      ['a', 'n'],
    );
    const many = await client.run('EXECUTE s USING 1', session);
    assert.equal(many.error.errorName, 'INVALID_PARAMETER_USAGE');
    const query = await client.run('EXECUTE s USING (SELECT 1), 2', session);
    assert.equal(query.error.errorName, 'NOT_SUPPORTED');
    const at = await client.run(
      "EXECUTE IMMEDIATE 'SELECT count(*) FROM patient WHERE 1 = ? LIMIT ?' USING -1, 5",
      inSchema,
    );
    assert.deepEqual([at.error, at.rows], [undefined, [[0]]]);
    // As the Python client writes numbers, fractions and times of another zone.
    const values = "-infinity(), DECIMAL '0.00050', TIMESTAMP '2024-01-01 00:00:00.5 UTC+05:30'";
    const exact = await client.run(`EXECUTE IMMEDIATE 'SELECT ?, ?, ?' USING ${values}`, inSchema);
    assert.deepEqual(
      [exact.error, exact.rows],
      [undefined, [['-Infinity', '0.00050', '2023-12-31 18:30:00.500000 UTC']]],
    );
  });

  test('browsing finds the tables of the caller, without a turn of a query', async () => {
    assert.deepEqual((await client.run('SHOW CATALOGS')).rows, [['ploidy'], ['system']]);
    const schemas = await client.run("SHOW SCHEMAS FROM ploidy LIKE 'trino\\_%' ESCAPE '\\'");
    assert.deepEqual([schemas.error, schemas.rows], [undefined, [['trino_rows']]]);
    const tables = await client.run('SHOW TABLES', inSchema);
    assert.ok(tables.rows.some(([name]) => name === 'patient'));
    const described = await client.run('DESCRIBE ploidy.trino_rows.patient');
    assert.ok(described.rows.some(([name, type]) => name === 'patient_id' && type === 'varchar'));
    const sql = `SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM system.jdbc.columns
      WHERE TABLE_CAT = 'ploidy' AND TABLE_SCHEM LIKE 'trino\\_rows' ESCAPE '\\' AND TABLE_NAME LIKE 'patient'
      ORDER BY TABLE_CAT, TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION`;
    const columns = await client.run(sql);
    assert.deepEqual([columns.error, columns.rows.length], [undefined, described.rows.length]);
    const mixed = await client.run('SELECT * FROM information_schema.tables, trino_rows.patient');
    assert.equal(mixed.error.errorName, 'NOT_SUPPORTED');
    const { rows } = await client.run(
      'SELECT jobs.* FROM (SELECT version() AS v, current_timezone() AS z) AS jobs',
    );
    assert.deepEqual(rows, [['ploidy', 'UTC']]);
    const { rows: created } = await client.run('SHOW CREATE TABLE ploidy.trino_rows.patient');
    assert.match(
      created[0]?.[0],
      /^CREATE TABLE "ploidy"."trino_rows"."patient" \(\n.* {3}"patient_id" varchar.*\n\)$/s,
    );
    const view = await client.run('SHOW CREATE VIEW patient', inSchema);
    assert.equal(view.error.message, "Relation 'patient' is a table, not a view");
    const stats = await client.run('SHOW STATS FOR patient', inSchema);
    assert.deepEqual([stats.rows.length, stats.rows.at(-1)?.[4]], [described.rows.length + 1, 3]);
    const ofNothing = await client.run('SHOW STATS FOR nope', inSchema);
    assert.equal(ofNothing.error.errorName, 'TABLE_NOT_FOUND');
    const plan = await client.run('EXPLAIN (TYPE VALIDATE) SELECT count(*) FROM patient', inSchema);
    assert.deepEqual(plan.rows, [[true]]);
  });

  test('keys are passwords as well; cookies, and keys of others, open nothing', async () => {
    const { address } = app;
    const basic = `Basic ${Buffer.from(`anybody:${app.key}`).toString('base64')}`;
    const head = (headers: Record<string, string>) =>
      fetch(`${address}/v1/statement`, { method: 'HEAD', headers });
    assert.equal((await head({ authorization: basic })).status, 200);
    assert.equal((await head({ authorization: 'Basic nope' })).status, 401);
    assert.equal((await head({ cookie: `ploidy-session=${app.key}` })).status, 401);
    const elsewhere = await fetch(`${address}/v1/projects`, { headers: { authorization: basic } });
    assert.equal(elsewhere.status, 401);
    const refused = await fetch(`${address}/v1/statement`, { method: 'POST', body: 'SELECT 1' });
    assert.match(await refused.text(), /^Send a valid API key/);
    const { key } = await app.people.member(app.account, ['readData']);
    const other = new TrinoClient(address, key);
    const uri = await client.send('SELECT 1', inSchema);
    assert.equal((await other.ask(uri)).status, 404);
    assert.equal((await other.ask(uri, 'DELETE')).status, 404);
    assert.deepEqual((await client.read(uri)).rows, [[1]]);
  });
});
