import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnPostgres, type Reply } from '../support/app.ts';
import { HeldRemovals } from '../support/held-removals.ts';
import { untilRemoved } from '../support/removals.ts';
import { TestProject } from './project.ts';
import { fhirText } from './texts.ts';

const named = (id: string) => ({
  target: 'patient',
  where: { patient: { id: [{ operator: 'eq', value: id }] } },
});

describeOnPostgres('cohorts of projects that are removed', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Cohorts');
    await project.take('p.ndjson', fhirText('p', 5));
    await make({ name: 'Stays', subjectIds: ['p-4'] });
  });

  const make = async (body: object): Promise<Reply['body']> => {
    const reply = await app.call('POST', '/v1/cohorts', {
      body: { name: 'Cohort', ownerProject: project.id, ...body },
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const dsl = (query: object) => ({ project: project.id, queryType: 'dsl', query });

  test('a project that is removed removes its cohorts and their members elsewhere', async () => {
    const gone = await TestProject.make(app.call, `Gone ${app.folder.slice(-4)}`);
    const made = await make({ ownerProject: gone.id, queries: [dsl(named('p-0'))] });
    assert.equal(made.resultCount, 1);
    assert.equal((await app.call('DELETE', `/v1/projects/${gone.id}?force=true`)).status, 204);
    assert.equal((await app.call('GET', `/v1/cohorts/${made.id}`)).status, 404);
    const left = async () => project.ask(`select count(*) from cohort where cohort_id = '${made.id}'`);
    for (let tries = 0; (await left())[0] !== '0' && tries < 100; tries++);
    assert.deepEqual(await left(), ['0']);
  });

  test('a cohort that asks a project which is removed goes on without it, and may be changed', async () => {
    const gone = await TestProject.make(app.call, `Asked ${app.folder.slice(-4)}`);
    await gone.take('g.ndjson', fhirText('g', 2));
    const asked = { project: gone.id, queryType: 'sql', query: { sql: 'SELECT patient_id FROM patient' } };
    const { id } = await make({
      queries: [dsl(named('p-0')), asked],
      subjectIds: ['p-1'],
    });
    const patch = async (body: object): Promise<Reply['body']> => {
      const reply = await app.call('PATCH', `/v1/cohorts/${id}`, { body });
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    const pending = await app.call('DELETE', `/v1/projects/${gone.id}`);
    assert.equal(pending.status, 204);
    const { resultCount, queries } = await patch({ description: 'Pending' });
    assert.deepEqual([resultCount, queries.length], [4, 2]);
    const removals = new HeldRemovals(app.people.records);
    await removals.begin('project', gone.id);
    const left = (await app.call('GET', `/v1/cohorts/${id}`)).body;
    assert.deepEqual([left.resultCount, left.queries], [2, [dsl(named('p-0'))]]);
    assert.equal((await patch({ queries: left.queries })).resultCount, 2);
    assert.equal((await patch({ subjectIds: ['p-1', 'p-2'] })).resultCount, 3);
    await removals.letGo();
  });

  test('queries of a cohort over a removed project are deleted', async () => {
    const gone = await TestProject.make(app.call, `Named ${app.folder.slice(-4)}`);
    const query = { project: gone.id, queryType: 'subjects', query: { subjectIds: ['somebody'] } };
    const { id } = await make({ queries: [dsl({ target: 'patient' }), query] });
    assert.equal((await app.call('DELETE', `/v1/projects/${gone.id}?force=true`)).status, 204);
    const { read: records } = app.people.records;
    await untilRemoved(app.people.records, 'project', gone.id);
    const kept = await records.selectFrom('cohorts').select('queries').where('id', '=', id).execute();
    assert.deepEqual(kept, [{ queries: JSON.stringify([dsl({ target: 'patient' })]) }]);
  });
});
