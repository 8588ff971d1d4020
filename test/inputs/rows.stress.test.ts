/** Rules on `resource.subject`: which rows of the tables they open, and that nothing of the others shows. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnSqlite } from '../support/app.ts';
import { until } from '../support/until.ts';
import { type Call, TestProject } from './project.ts';
import { fhirText, vcfText } from './texts.ts';

const subjects = (...ids: string[]) => ({ 'resource.subject': { comparison: 'in', value: ids } });

describeOnSqlite('rows by patient', (app) => {
  let whole: TestProject;

  before(async () => {
    whole = await TestProject.make(app.call, 'Rows');
    await whole.take('p.ndjson', fhirText('p', 4, 2));
    await whole.take('s1.vcf', vcfText('s1', 3), { patientId: 'p-1' });
    await whole.take('s2.vcf', vcfText('s2', 5), { patientId: 'p-2' });
    await whole.take('s3.vcf', vcfText('s3', 7));
  });

  const callOf =
    (key: string): Call =>
    (method, path, options) =>
      app.call(method, path, { key, ...options });

  async function as(
    ...rights: ['readData' | 'readMaskedData' | 'createData', object][]
  ): Promise<TestProject> {
    const [[privilege, rule] = ['readData', {}] as const, other] = rights;
    const person = await app.people.member(app.account, [privilege], rule);
    if (other) {
      const policy = {
        rules: { [other[0]]: [{ 'user.id': { comparison: 'equals', value: person.userId }, ...other[1] }] },
      };
      const made = await app.call('POST', '/v1/policies', { body: { name: person.userId.slice(3), policy } });
      assert.equal(made.status, 200, made.text);
    }
    return whole.as(callOf(person.key));
  }

  const patients = 'select patient_id from patient order by 1';
  const samples = 'select sample_id, count(*) from variant group by 1 order by 1';

  test('a rule on the subject opens the rows of these patients in every table, and no others', async () => {
    const some = await as(['readData', subjects('p-1', 'p-3', 'nobody')]);
    const seen = await some.ask(`
      select 'patient', patient_id, 1 from patient union all
      select 'observation', patient_id, count(*) from observation group by all union all
      select 'variant', sample_id, count(*) from variant group by all union all
      select 'sequence', id || ' of ' || patient_id, 1 from sequence union all
      select 'joined', patient_id, count(*) from variant v join sequence s on v.sample_id = s.id join patient using (patient_id)
        group by all order by all`);
    assert.deepEqual(seen, [
      'joined,p-1,3',
      'observation,p-1,2',
      'observation,p-3,2',
      'patient,p-1,1',
      'patient,p-3,1',
      'sequence,s1 of p-1,1',
      'variant,s1,3',
    ]);
  });

  test('a reader of some patients only cannot ingest: a file could claim samples of other patients', async () => {
    const specimen = JSON.stringify({
      resourceType: 'Specimen',
      id: 'specimen-2',
      meta: { lastUpdated: '2030-01-01T00:00:00Z' },
      identifier: [{ value: 's2' }],
      subject: { reference: 'Patient/p-1' },
    });
    for (const seen of ['readData', 'readMaskedData'] as const) {
      const some = await as([seen, subjects('p-1')], ['createData', {}]);
      const fileId = await some.upload(`${seen}.ndjson`, specimen);
      const body = { datasetId: whole.id, fileId };
      const refused = await some.call('POST', '/v1/ingestions', { body });
      assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'], seen);
      const upload = { name: `${seen}-2.ndjson`, datasetId: whole.id, ingest: true };
      const { uploadUrl } = (await some.call('POST', '/v1/files', { body: upload })).body;
      assert.equal((await fetch(uploadUrl, { method: 'PUT', body: specimen })).status, 200);
      const failed = async () => {
        const { items } = (await app.call('GET', `/v1/ingestions?datasetId=${whole.id}&pageSize=1`)).body;
        return items[0].error?.code === 'FORBIDDEN';
      };
      await until(failed, 'the ingestion failed');
      if (seen === 'readData') assert.deepEqual(await some.ask(samples), ['s1,3']);
    }
    const lab = await as(['createData', {}]);
    const taken = await lab.take('lab.ndjson', fhirText('lab', 1));
    assert.equal((await app.call('DELETE', `/v1/files/${taken}`)).status, 204);
  });

  test('a dry run does not reveal row counts to a reader of some rows', async () => {
    const nobody = await app.people.member(app.account, ['readData'], subjects('nobody'));
    const body = { query: 'select patient_id from patient', datasetId: whole.id, outputFileName: 'x.csv' };
    const reported = async (call: Call): Promise<unknown[]> => {
      const { status, body: answer } = await call('POST', '/v1/analytics/data-lake/query?dryRun=true', {
        body,
      });
      return [status, answer.tables, answer.estimatedRows];
    };
    assert.deepEqual(await reported(app.call), [200, ['patient'], 4]);
    assert.deepEqual(await reported(callOf(nobody.key)), [200, ['patient'], undefined]);
  });

  test('a dry run reports masked values when those of some patients are', async () => {
    for (const [rights, masked] of [
      [[['readData', subjects('p-1')]], false],
      [
        [
          ['readData', subjects('p-1')],
          ['readMaskedData', {}],
        ],
        true,
      ],
      [
        [
          ['readData', subjects('p-1')],
          ['readMaskedData', subjects('p-2')],
        ],
        true,
      ],
      [[['readMaskedData', subjects('p-2')]], true],
    ] as [['readData' | 'readMaskedData', object][], boolean][]) {
      const { body, text } = await (await as(...rights)).dryRun('select dob from patient');
      assert.equal(body.masked, masked, text);
    }
  });

  test('every comparison means the same for rows as for things', async () => {
    const cases: [object, string[]][] = [
      [{ comparison: 'equals', value: 'p-2' }, ['p-2']],
      [{ comparison: 'notEquals', value: 'p-2' }, ['p-0', 'p-1', 'p-3']],
      [{ comparison: 'notIn', value: ['p-0', 'p-1', 7] }, ['p-2', 'p-3']],
      [{ comparison: 'exists' }, ['p-0', 'p-1', 'p-2', 'p-3']],
      [{ comparison: 'prefixOf', value: 'p-15' }, ['p-1']],
      [
        {
          comparison: 'all',
          of: [
            { comparison: 'startsWith', value: 'p' },
            { comparison: 'endsWith', value: '3' },
          ],
        },
        ['p-3'],
      ],
    ];
    for (const [comparison, expected] of cases) {
      const some = await as(['readData', { 'resource.subject': comparison }]);
      assert.deepEqual(await some.ask(patients), expected, JSON.stringify(comparison));
    }
  });

  // asvs: 1.2.4
  test('a value is a value: what looks like SQL opens nothing', async () => {
    const some = await as(['readData', subjects("x') OR ('1' = '1", "p-1' --", 'p-0\0', 'p-1')]);
    assert.deepEqual(await some.ask(patients), ['p-1']);
  });

  test('no condition of a statement is evaluated on rows that are left out', async () => {
    for (const right of ['readData', 'readMaskedData'] as const) {
      const some = await as([right, subjects('p-1')]);
      const statements = [
        `select error(patient_id) from patient where patient_id <> 'p-1' and length(patient_id) < 32`,
        `select * from patient where case when patient_id in ('p-0', 'p-2', 'p-3') then error(patient_id) else true end`,
        `select cast(id as integer) from observation where id like 'p-2%' and cast(id as integer) > 0`,
        `select count(*) from variant where sample_id <> 's1' and length(sample_id) < 32 and cast(sample_id as integer) = 1`,
        `with x as (select * from patient where patient_id = 'p-3') select error(patient_id) from x`,
        `with "_patient" as (select 'p-3' as patient_id) select count(*) from patient where patient_id = 'p-3'`,
      ];
      const ends = statements.map(async (sql) => {
        const end = await some.endOfQuery(await some.startQuery(sql));
        assert.equal(end.state, 'succeeded', `${sql}: ${JSON.stringify(end.error)}`);
      });
      await Promise.all(ends);
    }
  });

  test('one answer holds full and masked rows, each patient in one form', async () => {
    const mixed = await as(['readData', subjects('p-1')], ['readMaskedData', {}]);
    const seen = await mixed.ask(`select patient_id from patient order by length(patient_id)`);
    assert.deepEqual([seen.length, seen.filter((id) => id === 'p-1').length], [4, 1]);
    assert.equal(seen.filter((id) => /^[0-9a-f]{32}$/.test(id)).length, 3);
    const counts = await mixed.ask(`select
      (select count(*) from variant v join sequence s on v.sample_id = s.id join patient using (patient_id)),
      (select count(*) from observation where id like 'p-%')`);
    assert.deepEqual(counts, ['8,2']);
    const narrow = await as(['readData', subjects('p-1')], ['readMaskedData', subjects('p-1', 'p-2')]);
    assert.deepEqual(await narrow.ask(`select count(*), count(distinct patient_id) from observation`), [
      '4,2',
    ]);
  });

  test('schema, queries and their history agree with what can be seen', async () => {
    const rule = { ...subjects('p-1'), 'resource.dataset': { comparison: 'equals', value: whole.id } };
    const person = await app.people.member(app.account, ['readData'], rule);
    const call = callOf(person.key);
    const mine = whole.as(call);
    const schema = await call('GET', `/v1/analytics/data-lake/schema?datasetId=${whole.id}`);
    const names = schema.body.schemas.map(({ table }: { table: string }) => table);
    assert.deepEqual(names, [
      'coding',
      'demographic',
      'observation',
      'patient',
      'resource',
      'sequence',
      'variant',
      'variant_call',
    ]);
    await mine.ask(`select ${names.map((table: string) => `(select count(*) from ${table})`).join(', ')}`);
    const foreign = await whole.startQuery('select * from patient');
    const own = await mine.startQuery('select 1');
    await mine.endOfQuery(own);
    const history = await call('GET', `/v1/analytics/data-lake/query?datasetId=${whole.id}`);
    const users = new Set(history.body.items.map(({ userId }: { userId: string }) => userId));
    assert.deepEqual([...users], [person.userId]);
    assert.equal((await call('GET', `/v1/analytics/data-lake/query/${foreign}`)).status, 403);
    assert.equal((await call('DELETE', `/v1/analytics/data-lake/query/${foreign}`)).status, 403);
    const other = await TestProject.make(app.call, 'Other rows');
    const refused = await call('GET', `/v1/analytics/data-lake/schema?datasetId=${other.id}`);
    assert.equal(refused.status, 404);
    await whole.endOfQuery(foreign);
  });

  test('a reader of some rows has analytics over these, and no cohort of whole projects', async () => {
    const person = await app.people.member(app.account, ['readData'], subjects('p-1'));
    const dsl = { target: 'patient', options: { fields: ['id'] } };
    const asked = { datasetId: whole.id, query: dsl };
    const ask = async (key?: string) =>
      (
        await app.call('POST', '/v1/analytics/dsl', { body: asked, ...(key !== undefined && { key }) })
      ).body.data.patients
        .map(({ id }: { id: string }) => id)
        .sort();
    assert.deepEqual([await ask(), await ask(person.key)], [['p-0', 'p-1', 'p-2', 'p-3'], ['p-1']]);
    const made = await app.call('POST', '/v1/cohorts', {
      body: {
        name: 'Whole',
        ownerProject: whole.id,
        queries: [{ project: whole.id, queryType: 'sql', query: { sql: 'select patient_id from patient' } }],
      },
    });
    assert.equal(made.status, 200, made.text);
    const read = await app.call('GET', `/v1/cohorts/${made.body.id}`, { key: person.key });
    assert.ok(read.status === 403 || read.status === 404, read.text);
  });

  test("Subject Access opens the rows of the caller's own patients in the account", async () => {
    const person = await app.people.member(app.account, []);
    const mine = whole.as(callOf(person.key));
    const body = { query: patients, datasetId: whole.id, outputFileName: 'mine.csv' };
    const ask = () => callOf(person.key)('POST', '/v1/analytics/data-lake/query', { body });
    assert.equal((await ask()).status, 404);
    const path = `/v1/account/users/${person.userId}/attributes`;
    const set = await app.call('PUT', path, { body: { customAttributes: { patients: ['p-2'] } } });
    assert.equal(set.status, 200, set.text);
    assert.deepEqual(await mine.ask(patients), ['p-2']);
  });

  test('a rule that asks more of a row than its patient opens none', async () => {
    for (const rule of [
      { 'resource.subject': { comparison: 'equals', target: 'resource.subject' } },
      { ...subjects('p-1'), 'resource.ward': { comparison: 'equals', value: 'x' } },
      { ...subjects('p-1'), 'resource.ownerId': { comparison: 'exists' } },
      { ...subjects('p-1'), 'resource.type': { comparison: 'equals', value: 'file' } },
    ]) {
      const person = await app.people.member(app.account, ['readData'], rule);
      const body = { query: 'select 1', datasetId: whole.id, outputFileName: 'x.csv' };
      const reply = await callOf(person.key)('POST', '/v1/analytics/data-lake/query', { body });
      assert.equal(reply.status, 403, JSON.stringify(rule));
    }
  });
});
