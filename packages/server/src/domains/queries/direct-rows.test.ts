import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';

const path = '/v1/analytics/data-lake/rows';

describeApp('rows without a file', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Rows');
    await project.take('p.ndjson', fhirText('p', 3, 1));
  });

  const ask = (query: string, more: object = {}, key = app.key): Promise<Reply> =>
    app.call('POST', path, { body: { query, datasetId: project.id, ...more }, key });

  test('rows have their columns and types, and leave no query, file, job or scratch', async () => {
    const count = async () => {
      const { read } = app.people.records;
      const tables = ['queries', 'jobs', 'files'] as const;
      const rows = await Promise.all(tables.map((table) => read.selectFrom(table).select('id').execute()));
      return rows.map(({ length }) => length);
    };
    const before = await count();
    const reply = await ask(
      `select 1 as n, 'a "b"
c' as t, [1.5, null] as l, null::date as d, count(*), sum(9007199254740993)::varchar as s from patient`,
    );
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body, {
      columns: [
        { name: 'n', type: 'INTEGER' },
        { name: 't', type: 'VARCHAR' },
        { name: 'l', type: 'DECIMAL(2,1)[]' },
        { name: 'd', type: 'DATE' },
        { name: 'count', type: 'BIGINT' },
        { name: 's', type: 'VARCHAR' },
      ],
      masked: false,
      rows: [[1, 'a "b"\nc', [1.5, null], null, 3, '27021597764222979']],
    });
    assert.deepEqual(await count(), before);
    await until(async () => readdirSync(join(app.folder, 'blobs/scratch')).length === 0, 'scratch is empty');
  });

  test('pages follow each other until the last, and belong to their statement, user and data', async () => {
    const sql = 'select unnest(range(5)) as n order by n';
    const pages: number[][] = [];
    let nextPageToken: string | undefined;
    do {
      const reply = await ask(sql, { pageSize: 2, ...(nextPageToken && { nextPageToken }) });
      assert.equal(reply.status, 200, reply.text);
      pages.push(reply.body.rows.flat());
      nextPageToken = reply.body.nextPageToken;
    } while (nextPageToken);
    assert.deepEqual(pages, [[0, 1], [2, 3], [4]]);
    const token = (await ask(sql, { pageSize: 2 })).body.nextPageToken;
    const other = await app.people.member(app.account, ['readData', 'readMaskedData']);
    assert.equal((await ask(`${sql} desc`, { nextPageToken: token })).status, 400);
    assert.equal((await ask(sql, { nextPageToken: token }, other.key)).status, 400);
    await project.take('q.ndjson', fhirText('q', 1, 1));
    const changed = await ask(sql, { nextPageToken: token });
    assert.deepEqual([changed.status, changed.body.code], [409, 'LAKE_CHANGED']);
  });

  test('a reader of masked data gets the values of the result file', async () => {
    const { key } = await app.people.member(app.account, ['readMaskedData']);
    const sql = 'select * from patient order by patient_id';
    const body = { query: sql, datasetId: project.id, outputFileName: 'm.ndjson', format: 'ndjson' };
    const started = await app.call('POST', '/v1/analytics/data-lake/query', { body, key });
    await project.endOfQuery(started.body.queryId);
    const file = (await app.call('GET', `/v1/files/${started.body.queryId}`, { key })).text;
    const lines = file.trimEnd().split('\n');
    const reply = await ask(sql, {}, key);
    assert.equal(reply.body.masked, true);
    assert.deepEqual(
      reply.body.rows,
      lines.map((line) => Object.values(JSON.parse(line))),
    );
  });

  test('an empty result has its columns', async () => {
    const { body } = await ask('select patient_id from patient where false');
    assert.deepEqual(body, { columns: [{ name: 'patient_id', type: 'VARCHAR' }], masked: false, rows: [] });
  });

  test('strangers, faults, unknown fields and too much data are refused', async () => {
    const stranger = await app.people.owner(`rows-${app.account}`.slice(0, 32));
    assert.equal((await ask('select 1', {}, stranger.key)).status, 404);
    const nobody = await app.people.member(app.account, ['createData']);
    assert.equal((await ask('select 1', {}, nobody.key)).status, 403);
    assert.equal((await ask('select wrong from patient')).body.code, 'INVALID_QUERY');
    assert.equal((await ask('select 1', { pagesize: 1 })).body.details[0].path, 'body/pagesize');
    const values = await ask('select cast(patient_id as int) from patient');
    assert.deepEqual([values.status, values.body.code], [422, 'QUERY_SQL']);
    const wide = "select rpad(cast(n as varchar), 10000, 'x') from (select unnest(range(10000)) as n)";
    const large = await ask(wide, { pageSize: 10_000 });
    assert.deepEqual([large.status, large.body.code], [422, 'QUERY_RESULT_SIZE']);
  });

  test('the audit log names tables, rows and bytes of each page, and a failure', async () => {
    await ask('select patient_id from patient order by patient_id');
    const { body } = await app.call('GET', '/v1/audit-events?action=lake.rows&pageSize=1');
    const [{ details, outcome }] = body.items;
    assert.equal(outcome, 'done');
    assert.deepEqual([details.tables, details.masked], ['patient', false]);
    assert.ok(details.rows >= 3 && details.bytes > 0);
    await ask('select cast(patient_id as int) from patient');
    const failed = await app.call('GET', '/v1/audit-events?action=lake.rows&pageSize=1');
    assert.equal(failed.body.items[0].details.failed, 'QUERY_SQL');
  });
});
