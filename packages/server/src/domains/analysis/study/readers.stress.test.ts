import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';

const measured = { of: 'observation', codes: ['718-7'] };
const timed = {
  index: { event: measured },
  rules: [{ name: 'Again', criteria: [{ event: measured, within: { from: -5 } }] }],
};
const subjects = (...ids: string[]) => ({ 'resource.subject': { comparison: 'in', value: ids } });

describeApp('readers of studies', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Readers');
    await project.take('p.ndjson', fhirText('p', 6, 1));
    await project.take('s1.vcf', vcfText('s1', 3), { patientId: 'p-1' });
    await project.take('s2.vcf', vcfText('s2', 5), { patientId: 'p-2' });
  });

  const ask = (path: string, body: object, key?: string): Promise<Reply> =>
    app.call('POST', `/v1/analytics/study/${path}`, {
      body: { datasetId: project.id, ...body },
      ...(key !== undefined && { key }),
    });
  const aggregates = [
    { id: 'sex', kind: 'values', attribute: 'patient.gender' },
    { id: 'year', kind: 'bins', attribute: 'patient.birth_year' },
    { id: 'genes', kind: 'genes', alteration: 'mutation' },
    { id: 'left', kind: 'attrition', timed },
  ];
  const patientsOf = (step: { patients: number }): number => step.patients;

  test('a reader of some patients counts and lists these only, and after a change of rights others', async () => {
    const { key } = await app.people.member(app.account, ['readData'], subjects('p-1', 'p-3'));
    const counted = await ask('query', { unit: 'patient', aggregates }, key);
    assert.equal(counted.status, 200, counted.text);
    assert.deepEqual(counted.body.matched, { samples: 1, patients: 2 });
    assert.equal(counted.body.results.sex.values.items[0].count, 2);
    const listed = await ask('subjects', { unit: 'sample' }, key);
    assert.deepEqual(listed.body.items, [{ sampleId: 's1', patientId: 'p-1' }]);
    const named = await ask('query', { unit: 'patient', filter: { patients: ['p-2', 'p-3'] } }, key);
    assert.deepEqual(named.body.matched, { samples: 0, patients: 1 });
    const whole = await ask('query', { unit: 'patient', aggregates });
    assert.deepEqual(counted.body.results.left.attrition.steps.map(patientsOf), [2, 2, 0]);
    assert.deepEqual(whole.body.results.left.attrition.steps.map(patientsOf), [6, 6, 0]);
    assert.deepEqual(whole.body.matched, { samples: 2, patients: 6 });
    const attributes = await app.call('GET', `/v1/analytics/study/attributes?datasetId=${project.id}`, {
      key,
    });
    const gender = attributes.body.attributes.find(({ id }: { id: string }) => id === 'patient.gender');
    assert.equal(gender.share, 1);
  });

  test('a reader of masked data counts as the owner does, and finds no id of a patient', async () => {
    const { key } = await app.people.member(app.account, ['readMaskedData']);
    const counted = await ask('query', { unit: 'patient', aggregates }, key);
    assert.deepEqual(counted.body.matched, { samples: 2, patients: 6 }, counted.text);
    assert.deepEqual(counted.body.results.left.attrition.steps.map(patientsOf), [6, 6, 0]);
    const listed = await ask('subjects', { unit: 'patient' }, key);
    assert.equal(listed.body.items.length, 6);
    assert.doesNotMatch(listed.text, /p-\d|s\d/);
    const [{ patientId }] = listed.body.items;
    const named = await ask('query', { unit: 'patient', filter: { patients: [patientId, 'p-1'] } }, key);
    assert.equal(named.body.matched.patients, 1);
  });

  test('a cohort of a filter has the patients that the filter finds, and follows new data', async () => {
    const query = { unit: 'sample', filter: { samples: ['s1', 's2'] } };
    const queries = [{ project: project.id, queryType: 'study', query }];
    const made = await app.call('POST', '/v1/cohorts', {
      body: { name: 'Of a filter', ownerProject: project.id, queries },
    });
    assert.equal(made.body.resultCount, 2, made.text);
    const members = await ask('subjects', { unit: 'patient', filter: { cohort: made.body.id } });
    assert.deepEqual(members.body.items, [{ patientId: 'p-1' }, { patientId: 'p-2' }]);
    const left = await ask('query', { unit: 'patient', filter: { not: { cohort: made.body.id } } });
    assert.equal(left.body.matched.patients, 4);
    const nested = [
      { project: project.id, queryType: 'study', query: { filter: { cohort: made.body.id }, more: 1 } },
    ];
    const refused = await app.call('POST', '/v1/cohorts', {
      body: { name: 'Nested', ownerProject: project.id, queries: nested },
    });
    assert.equal(refused.status, 400);
    assert.deepEqual(
      refused.body.details.map(({ path }: { path: string }) => path),
      ['body/queries/0/query/more', 'body/queries/0/query/filter'],
    );
  });
});

describeApp(
  'small counts of studies',
  (app) => {
    let project: TestProject;
    let key: string;

    before(async () => {
      project = await TestProject.make(app.call, 'Small');
      await project.take('p.ndjson', fhirText('p', 6, 1));
      key = (await app.people.member(app.account, ['readMaskedData'])).key;
    });

    const ask = (path: string, body: object): Promise<Reply> =>
      app.call('POST', `/v1/analytics/study/${path}`, {
        body: { datasetId: project.id, unit: 'patient', ...body },
        key,
      });

    test('counts of few patients are hidden, and so are ids', async () => {
      const { body } = await ask('query', {
        aggregates: [{ id: 'sex', kind: 'values', attribute: 'patient.gender' }],
      });
      assert.equal(body.roundedTo, 20, JSON.stringify(body));
      assert.deepEqual(body.matched, { samples: null, patients: null });
      assert.deepEqual(body.results.sex.values.items, []);
      const refused = await ask('subjects', {});
      assert.deepEqual([refused.status, refused.body.code], [403, 'SMALL_COUNTS_ONLY']);
    });
  },
  { PLOIDY_SMALL_COUNTS_MIN: '20' },
);
