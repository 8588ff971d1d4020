import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';

describeApp('conditions on membership of cohorts', (app) => {
  let project: TestProject;
  let first: string;
  let second: string;

  const cohort = async (name: string, subjectIds: string[]): Promise<string> => {
    const body = { name, ownerProject: project.id, subjectIds };
    return (await app.call('POST', '/v1/cohorts', { body })).body.id;
  };
  before(async () => {
    project = await TestProject.make(app.call, 'Membership');
    await project.take('p.ndjson', fhirText('p', 4, 1));
    first = await cohort('First', ['p-0', 'p-1']);
    second = await cohort('Second', ['p-1', 'p-2', 'p-9']);
  });

  const ask = (where: object, more = {}): Promise<Reply> => {
    const body = { datasetId: project.id, query: { target: 'patient', where }, ...more };
    return app.call('POST', '/v1/analytics/dsl', { body });
  };
  const found = async (where: object): Promise<string[]> => {
    const reply = await ask(where);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.patients.map(({ id }: { id: string }) => id).sort();
  };
  const of = (...ids: string[]) => ({ patient: { cohort: [{ operator: 'in', value: ids }] } });

  test('conditions on cohorts find members of one, of either, of both and of none', async () => {
    assert.deepEqual(await found(of(first)), ['p-0', 'p-1']);
    assert.deepEqual(await found(of(first, second)), ['p-0', 'p-1', 'p-2']);
    assert.deepEqual(await found({ and: [of(first), of(second)] }), ['p-1']);
    assert.deepEqual(await found({ and: [of(first), { not: of(second) }] }), ['p-0']);
    assert.deepEqual(await found({ not: of(first, second) }), ['p-3']);
    const { body } = await ask({ not: of(second) }, { cohortId: first });
    assert.deepEqual(body.data.patients, [{ id: 'p-0' }]);
  });

  test('conditions on cohorts use the members of the current data', async () => {
    await project.take('later.ndjson', fhirText('p', 10, 1));
    assert.deepEqual(await found(of(second)), ['p-1', 'p-2', 'p-9']);
  });

  test('conditions on cohorts are refused for unknown cohorts, other comparisons, too many cohorts and within cohorts', async () => {
    assert.equal((await ask(of(first, 'unknown'))).status, 404);
    assert.equal((await ask({ patient: { cohort: [{ operator: 'ne', value: first }] } })).status, 400);
    const many = Array.from({ length: 21 }, (_, at) => `cohort-${at}`);
    assert.equal((await ask(of(...many))).status, 400);
    const queries = [
      { project: project.id, queryType: 'dsl', query: { target: 'patient', where: of(first) } },
    ];
    const body = { name: 'Of a cohort', ownerProject: project.id, queries };
    const reply = await app.call('POST', '/v1/cohorts', { body });
    assert.equal(reply.status, 400);
    assert.match(reply.text, /must not name cohorts/);
  });

  test('conditions on cohorts are refused for a caller who may read the data but not the cohort', async () => {
    const { key } = await app.people.member(app.account, ['readMaskedData']);
    const body = { datasetId: project.id, query: { target: 'patient', where: of(first) } };
    assert.equal((await app.call('POST', '/v1/analytics/dsl', { body, key })).status, 403);
  });
});
