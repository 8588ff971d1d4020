/** Comparisons of readers of some patients, of masked data and of rounded counts. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../../test/inputs/project.ts';
import { describeApp, type Reply, type TestApp } from '../../../../../../../test/support/app.ts';

/** Writes patients p-1 to p-12 of both sexes, each with a diagnosis; every third has died. */
const patients = Array.from({ length: 12 }, (_, at) => [
  {
    ...{ resourceType: 'Patient', id: `p-${at + 1}`, gender: at % 2 === 0 ? 'female' : 'male' },
    ...{ birthDate: `${1950 + at}-05-05`, ...(at % 3 === 0 && { deceasedDateTime: `202${at % 5}-03-01` }) },
  },
  {
    ...{ resourceType: 'Condition', id: `c-${at + 1}`, subject: { reference: `Patient/p-${at + 1}` } },
    ...{
      code: { coding: [{ system: 'http://snomed.info/sct', code: '372244006' }] },
      onsetDateTime: '2019-01-01',
    },
  },
])
  .flat()
  .map((one) => JSON.stringify(one))
  .join('\n');
const women = { attribute: 'patient.gender', in: ['female'] };
const groups = [
  { id: 'women', filter: women },
  { id: 'others', filter: { not: women } },
  { id: 'all', filter: { and: [] } },
];
const pair = groups.slice(0, 2);
const aggregates = [
  { id: 'overlap', kind: 'overlap', groups },
  { id: 'tests', kind: 'enrichment', groups: pair, attributes: ['patient.birth_year', 'condition.code'] },
  { id: 'survival', kind: 'survival', groups: pair },
];
const subjects = (...ids: string[]) => ({ 'resource.subject': { comparison: 'in', value: ids } });

/** Asks for the overlap, the tests and the survival of groups. */
const compare = (app: TestApp, project: TestProject, key?: string): Promise<Reply> =>
  app.call('POST', '/v1/analytics/study/query', {
    body: { datasetId: project.id, unit: 'patient', aggregates },
    ...(key !== undefined && { key }),
  });
const patientsOf = (reply: Reply): number[] => {
  assert.ok(reply.body.results?.overlap?.overlap, reply.text.slice(0, 600));
  return reply.body.results.overlap.overlap.groups.map(({ patients }: { patients: number }) => patients);
};

describeApp('readers of comparisons', (app) => {
  let project: TestProject;
  before(async () => {
    project = await TestProject.make(app.call, 'Compared');
    await project.take('p.ndjson', patients);
  });

  test('the owner has tests of all patients, and survival from dates', async () => {
    const reply = await compare(app, project);
    assert.equal(reply.status, 200, reply.text);
    const [one = 0, other = 0, all] = patientsOf(reply);
    assert.deepEqual([one + other, all], [12, 12]);
    const { tests, survival } = reply.body.results;
    assert.equal(tests.enrichment.shared, 0);
    assert.ok(tests.enrichment.tests > 0, reply.text);
    const followed = survival.survival.curves.reduce(
      (sum: number, { patients }: { patients: number }) => sum + patients,
      0,
    );
    assert.equal(followed + survival.survival.leftOut, 12, reply.text);
  });

  test('a reader of some patients compares these only, a reader of masked data all', async () => {
    const { key } = await app.people.member(app.account, ['readData'], subjects('p-1', 'p-2', 'p-3'));
    const limited = await compare(app, project, key);
    const [one = 0, other = 0, all] = patientsOf(limited);
    assert.deepEqual([one + other, all], [3, 3], limited.text);
    const masked = await compare(
      app,
      project,
      (await app.people.member(app.account, ['readMaskedData'])).key,
    );
    const owner = await compare(app, project);
    assert.deepEqual(patientsOf(masked), patientsOf(owner));
    assert.doesNotMatch(masked.text, /p-\d/);
  });
});

describeApp(
  'small counts of comparisons',
  (app) => {
    test('a reader of rounded counts has no test and no curve', async () => {
      const project = await TestProject.make(app.call, 'Small');
      await project.take('p.ndjson', patients);
      const { key } = await app.people.member(app.account, ['readMaskedData']);
      const { overlap, tests, survival } = (await compare(app, project, key)).body.results;
      assert.equal(tests.error.code, 'SMALL_COUNTS_ONLY');
      assert.equal(survival.error.code, 'SMALL_COUNTS_ONLY');
      assert.deepEqual(overlap.overlap.regions, []);
      for (const { patients } of overlap.overlap.groups) assert.equal(patients, null);
    });
  },
  { PLOIDY_SMALL_COUNTS_MIN: '20' },
);
