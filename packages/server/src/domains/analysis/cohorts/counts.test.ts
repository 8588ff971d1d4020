import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import { countsMax, keepCount } from './counts.ts';

describeApp('the history of the counts of a cohort', (app) => {
  let project: TestProject;
  let cohort: string;
  const women = { patient: { demographics: { gender: [{ operator: 'eq', value: 'female' }] } } };
  const queryOf = (id: string) => ({
    project: id,
    queryType: 'dsl',
    query: { target: 'patient', where: women },
  });
  const counts = async (key?: string): Promise<{ project: string; count: number; countedTime: string }[]> => {
    const reply = await app.call('GET', `/v1/cohorts/${cohort}/counts`, key === undefined ? {} : { key });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.items;
  };
  const recount = () => app.call('GET', `/v1/cohorts/${cohort}`);

  before(async () => {
    project = await TestProject.make(app.call, 'Counts');
    await project.take('a.ndjson', fhirText('a', 3));
    const body = { name: 'Women', ownerProject: project.id, queries: [queryOf(project.id)] };
    cohort = (await app.call('POST', '/v1/cohorts', { body })).body.id;
  });

  test('the history of a cohort begins with its creation, and grows with each recount that finds another number', async () => {
    assert.deepEqual(
      (await counts()).map(({ count }) => count),
      [3],
    );
    await project.take('b.ndjson', fhirText('b', 2));
    await recount();
    await project.take('c.csv', 'patient_id,x\na-0,1\n', { type: 'table', table: { name: 'visits' } });
    await recount();
    const found = await counts();
    assert.deepEqual(
      found.map(({ count }) => count),
      [5, 3],
    );
    assert.ok((found[0]?.countedTime ?? '') > (found[1]?.countedTime ?? ''));
    const { body } = await app.call('GET', `/v1/cohorts/${cohort}/counts?pageSize=1`);
    assert.equal(body.items.length, 1);
    assert.equal((await app.call('GET', body.links.next)).body.items[0].count, 3);
  });

  test('the history of a cohort shows a caller the projects only that this caller may read', async () => {
    const other = await TestProject.make(app.call, 'Other counts');
    await other.take('o.ndjson', fhirText('o', 1));
    const queries = [queryOf(project.id), queryOf(other.id)];
    await app.call('PATCH', `/v1/cohorts/${cohort}`, { body: { queries } });
    assert.deepEqual(new Set((await counts()).map((one) => one.project)), new Set([project.id, other.id]));
    const { key } = await app.people.member(app.account, ['readData'], {
      'resource.dataset': { comparison: 'equals', value: project.id },
    });
    assert.deepEqual(new Set((await counts(key)).map((one) => one.project)), new Set([project.id]));
  });

  test('the history of a cohort is refused where the cohort is, and is removed with it', async () => {
    const { key } = await app.people.member(app.account, ['readMaskedData']);
    assert.equal((await app.call('GET', `/v1/cohorts/${cohort}/counts`, { key })).status, 403);
    assert.equal((await app.call('DELETE', `/v1/cohorts/${cohort}`)).status, 204);
    assert.equal((await app.call('GET', `/v1/cohorts/${cohort}/counts`)).status, 404);
  });
});

testOnRecords('the newest counts of a cohort in a project are kept', async ({ open }) => {
  const records = await open();
  const part = { cohort_id: 'c', project_id: 'p', account_id: 'a' };
  await records.transact(async (tx) => {
    await keepCount(tx, { ...part, project_id: 'other', member_count: 0, counted_at: 0 });
    for (let at = 1; at <= countsMax + 2; at += 1)
      await keepCount(tx, { ...part, member_count: at, counted_at: at });
  });
  const rows = await records.read.selectFrom('cohort_counts').selectAll().orderBy('counted_at').execute();
  assert.deepEqual([rows.length, rows[0]?.project_id, rows[1]?.member_count], [countsMax + 1, 'other', 3]);
});
