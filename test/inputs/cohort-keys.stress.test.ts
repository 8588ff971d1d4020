import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnSqlite } from '../support/app.ts';
import { TestProject } from './project.ts';
import { fhirText } from './texts.ts';

const named = (value: string) => ({
  target: 'patient',
  where: { patient: { id: [{ operator: 'eq', value }] } },
});

describeOnSqlite('keys of cohort queries', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Cohort keys');
    await project.take('p.ndjson', fhirText('p', 3));
  });

  const dsl = (query: object) => ({ project: project.id, queryType: 'dsl', query });
  const post = (body: object) =>
    app.call('POST', '/v1/cohorts', { body: { name: 'Cohort', ownerProject: project.id, ...body } });

  test('a stored query with unknown keys keeps working; a new one is refused with their names', async () => {
    const made = (await post({ queries: [dsl(named('p-0'))] })).body;
    const asBefore = dsl({ ...named('p-0'), were: {}, options: { group_by: ['id'] } });
    await app.people.records.transact((tx) =>
      tx
        .updateTable('cohorts')
        .set({ queries: JSON.stringify([asBefore]) })
        .where('id', '=', made.id)
        .execute(),
    );
    await project.take('later.ndjson', fhirText('later', 1));
    const present = (await app.call('GET', `/v1/cohorts/${made.id}`)).body;
    assert.deepEqual([present.resultCount, present.error], [1, undefined]);
    const path = `/v1/cohorts/${made.id}`;
    const patch = (body: object) => app.call('PATCH', path, { body });
    const kept = await patch({ queries: [...present.queries, dsl(named('p-1'))], subjectIds: ['p-2'] });
    assert.equal(kept.status, 200, kept.text);
    assert.equal(kept.body.resultCount, 3);
    const [{ query, ...rest }] = present.queries;
    const sorted = Object.fromEntries(Object.entries(query).toReversed());
    const rewritten = await patch({ queries: [{ query: sorted, ...rest, note: 'ours' }] });
    assert.equal(rewritten.status, 200, rewritten.text);
    const added = dsl({ ...named('p-1'), were: {} });
    const refused = await patch({ queries: [...present.queries, added] });
    assert.equal(refused.status, 400);
    assert.equal(refused.body.details[0].path, 'body/queries/1/query/were');
    assert.equal((await post({ queries: [asBefore] })).status, 400);
  });
});
