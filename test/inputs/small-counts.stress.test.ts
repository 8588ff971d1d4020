/** PLOIDY_SMALL_COUNTS_MIN: suppression of counts of few patients for readers of masked data. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { TestProject } from './project.ts';
import { fhirText, vcfText } from './texts.ts';

describe('small counts', () => {
  let app: TestApp;
  let whole: TestProject;
  let masked: TestProject;

  before(async () => {
    app = await openTestApp({ PLOIDY_SMALL_COUNTS_MIN: '3', PLOIDY_IDLE_WORKERS: '2' });
    whole = await TestProject.make(app.call, 'Small counts');
    await whole.take('p.ndjson', fhirText('p', 4, 2));
    for (const number of [0, 1, 2]) {
      await whole.take(`s${number}.vcf`, vcfText(`s${number}`, 3 + number), { patientId: `p-${number}` });
    }
    masked = whole.as(callOf((await app.people.member(app.account, ['readMaskedData'])).key));
  });
  after(() => app.stop());

  const callOf =
    (key: string): TestApp['call'] =>
    (method, path, options) =>
      app.call(method, path, { key, ...options });

  test('groups of fewer patients are left out, of clinical and omic tables', async () => {
    assert.deepEqual(await masked.ask('select count(*), count(distinct patient_id) from observation'), [
      '8,4',
    ]);
    assert.deepEqual(await masked.ask('select patient_id, count(*) from observation group by 1'), []);
    const sql = 'select position, count(*) from variant group by 1 order by 1';
    assert.deepEqual(await masked.ask(sql), ['1000,3', '1010,3', '1020,3']);
    assert.equal((await whole.ask(sql)).length, 5);
    const joined = `select v.position, count(distinct s.patient_id) as patients from variant v
      join sequence s on s.id = v.sample_id join patient p on p.patient_id = s.patient_id group by all order by 1`;
    assert.deepEqual(await masked.ask(joined), ['1000,3', '1010,3', '1020,3']);
  });

  test('statements of the dialect run as documented in docs/dialect.md, also over the tables of a project', async () => {
    const sql = `select date_add('day', 1, max(dob)), 5 / 2, approx_distinct(patient_id), concat('a', max(data), null)
      from patient where date_format(dob, '%Y-%i') = '1970-00'`;
    assert.deepEqual(await whole.ask(sql), ['1970-05-18,2,4,']);
  });

  test('statements that show rows are refused at once, with a remedy', async () => {
    for (const query of [
      'select * from patient',
      'select max(dob) from patient',
      'with p as (from patient) select count(*) from p',
    ]) {
      const body = { query, datasetId: whole.id, outputFileName: 'x.csv' };
      const person = await app.people.member(app.account, ['readMaskedData']);
      const reply = await callOf(person.key)('POST', '/v1/analytics/data-lake/query', { body });
      assert.equal(reply.status, 400, query);
      assert.match(reply.body.error, /counts and sums over many patients/);
    }
    assert.equal((await whole.ask('select * from patient')).length, 4);
  });

  test('questions that show patients are not answered from masked data; from those that may be seen they are', async () => {
    const { key } = await app.people.member(app.account, ['readMaskedData']);
    const body = { datasetId: whole.id, query: { target: 'patient' } };
    const refused = await app.call('POST', '/v1/analytics/dsl', { body, key });
    assert.deepEqual([refused.status, refused.body.code], [403, 'SMALL_COUNTS_ONLY'], refused.text);
    assert.doesNotMatch(refused.text, /p-0/);
    const answered = await app.call('POST', '/v1/analytics/dsl', { body });
    assert.equal(answered.body.data.patients.length, 4, answered.text);
  });

  test('an error about a value does not reveal the value', async () => {
    const cast = 'select count(*) from observation where cast(code as integer) > 0';
    assert.deepEqual(await masked.ask(cast), [], 'the cast is NULL');
    const foreign = await whole.endOfQuery(await whole.startQuery(cast));
    assert.match(foreign.error?.message ?? '', /718-7/);
    const sql = "select count(*) from observation where date_parse(code, '%Y') is null";
    const end = await masked.endOfQuery(await masked.startQuery(sql));
    assert.equal(end.state, 'failed');
    assert.doesNotMatch(end.error?.message ?? '', /718-7/);
  });

  test('a reader with full rows of some patients sees only those patients', async () => {
    const person = await app.people.member(app.account, ['readData'], {
      'resource.subject': { comparison: 'equals', value: 'p-1' },
    });
    const policy = {
      rules: { readMaskedData: [{ 'user.id': { comparison: 'equals', value: person.userId } }] },
    };
    const made = await app.call('POST', '/v1/policies', { body: { name: 'masked as well', policy } });
    assert.equal(made.status, 200, made.text);
    const mixed = whole.as(callOf(person.key));
    assert.deepEqual(await mixed.ask('select patient_id from patient'), ['p-1']);
    assert.deepEqual(await mixed.ask('select count(*) from variant'), ['4']);
  });
});
