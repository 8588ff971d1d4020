import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { demoQuestion, expectedDemoRows } from '../../samples/expected.ts';
import { describeOnSqlite } from '../support/app.ts';
import { sharedData, sharedDataSkip } from '../support/shared-data.ts';
import { TestProject } from './project.ts';

const samples = join(import.meta.dirname, '../../samples/data');

interface Resource {
  resourceType: string;
  id: string;
  gender?: string;
  subject?: { reference: string };
  code?: { coding: { code: string }[] };
}

const linesOf = (path: string): Resource[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const equals = (value: string) => [{ operator: 'eq', value }];

// One store suffices: the engine finds the patients. cohorts.test.ts runs cohort storage on both stores.
describeOnSqlite('cohorts over real and sample data', (app) => {
  let project: TestProject;

  const countOf = async (queryType: 'dsl' | 'sql', query: object): Promise<number> => {
    const body = {
      name: 'Counted',
      ownerProject: project.id,
      queries: [{ project: project.id, queryType, query }],
    };
    const reply = await app.call('POST', '/v1/cohorts', { body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.resultCount;
  };

  before(async () => {
    project = await TestProject.make(app.call, 'Counts');
  });

  test('counts over real patients equal a plain reading of their files', {
    skip: sharedDataSkip,
  }, async () => {
    const folder = sharedData('fhir/10-patients');
    for (const type of ['Patient', 'Condition', 'Procedure']) {
      await project.take(`${type}.ndjson`, readFileSync(join(folder, `${type}.ndjson`)));
    }
    const patients = linesOf(join(folder, 'Patient.ndjson'));
    const owners = (file: string): Map<string, Set<string>> => {
      const found = new Map<string, Set<string>>();
      for (const { code, subject } of linesOf(join(folder, file))) {
        const id = subject?.reference.replace(/^.*Patient\//, '') ?? '';
        for (const coding of code?.coding ?? [])
          found.set(coding.code, (found.get(coding.code) ?? new Set()).add(id));
      }
      return found;
    };
    const conditions = owners('Condition.ndjson');
    const procedures = owners('Procedure.ndjson');
    const women = new Set(patients.filter(({ gender }) => gender === 'female').map(({ id }) => id));
    const some = [...conditions.keys()].sort().slice(0, 6);
    const [procedure = ''] = [...procedures.keys()].sort();
    const done = procedures.get(procedure) ?? new Set();
    assert.ok(women.size > 0 && women.size < patients.length && done.size > 0);
    for (const code of some) {
      const ill = conditions.get(code) ?? new Set();
      const condition = { patient: { conditions: { code: equals(code) } } };
      const where = { ...condition, not: { patient: { procedures: { code: equals(procedure) } } } };
      assert.equal(await countOf('dsl', { target: 'patient', where: condition }), ill.size);
      assert.equal(await countOf('dsl', { target: 'patient', where }), ill.difference(done).size);
      const text = `SELECT DISTINCT c.patient_id FROM condition c JOIN demographic d USING (patient_id) WHERE c.code = '${code}' AND d.gender = 'female'`;
      assert.equal(await countOf('sql', { sql: text }), ill.intersection(women).size);
    }
    assert.equal(await countOf('dsl', { target: 'patient' }), patients.length);
  });

  test('counts over the sample project equal a plain reading of its files', async () => {
    const { files } = JSON.parse(readFileSync(join(samples, 'manifest.json'), 'utf8')) as {
      files: { path: string }[];
    };
    project = await TestProject.make(app.call, 'Samples');
    for (const { path } of files) await project.take(path, readFileSync(join(samples, path)));
    const { condition, gene, significances } = demoQuestion;
    const expected = new Set(expectedDemoRows(samples).map((row) => row.patient_id));
    const where = {
      patient: {
        conditions: { code: equals(condition.code), verification_status: equals('confirmed') },
        medications: {
          reason_code: equals(condition.code),
          status: [{ operator: 'in', value: ['active', 'completed'] }],
        },
      },
      variant: { gene: equals(gene), clinical_significance: [{ operator: 'in', value: significances }] },
    };
    assert.equal(await countOf('dsl', { target: 'patient', where }), expected.size);
    const body = { datasetId: project.id, query: { target: 'patient', where } };
    const { data } = (await app.call('POST', '/v1/analytics/dsl', { body })).body;
    assert.deepEqual(new Set(data.patients.map(({ id }: { id: string }) => id)), expected);
  });
});
