import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';

describeApp('schedules of saved queries', (app) => {
  let project: TestProject;
  let here: object;

  before(async () => {
    project = await TestProject.make(app.call, 'Scheduled');
    await project.take('p.ndjson', fhirText('p', 3, 1));
    here = { 'resource.dataset': { comparison: 'equals', value: project.id } };
  });

  const path = (id = '') => `/v1/projects/${project.id}/saved-queries${id && `/${id}`}`;
  const as = (key?: string) => (key ? { key } : {});
  const save = async (statement: string, key?: string, shared = false): Promise<string> => {
    const body = { name: 'Patients', statement, shared };
    return (await app.call('POST', path(), { body, ...as(key) })).body.id;
  };
  const plan = (id: string, cron: string, key?: string): Promise<Reply> =>
    app.call('PUT', `${path(id)}/schedule`, { body: { cron }, ...as(key) });
  const scheduleOf = async (id: string, key?: string) =>
    (await app.call('GET', path(id), as(key))).body.schedule;
  /** Moves the next run of a query into the past. */
  const makeDue = (id: string) =>
    app.people.records.transact((tx) =>
      tx.updateTable('saved_queries').set({ schedule_at: 1 }).where('id', '=', id).execute(),
    );
  const ofRun = async (id: string, key?: string) => {
    await until(async () => (await scheduleOf(id, key))?.lastQueryId !== undefined, 'the query began');
    const { lastQueryId, next } = await scheduleOf(id, key);
    assert.ok(Date.parse(next) > Date.now());
    return lastQueryId as string;
  };

  test('a run stores its result under the rights of its owner, once, and is planned again', async () => {
    const some = { ...here, 'resource.subject': { comparison: 'equals', value: 'p-1' } };
    const { key, userId } = await app.people.member(app.account, ['readData'], some);
    const id = await save('SELECT patient_id FROM patient', key);
    const planned = await plan(id, '0 2 * * *', key);
    assert.equal(planned.status, 200, planned.text);
    assert.deepEqual([planned.body.schedule.cron, planned.body.schedule.format], ['0 2 * * *', 'csv']);
    await makeDue(id);
    const query = await ofRun(id, key);
    const own = project.as((method, route, options) => app.call(method, route, { key, ...options }));
    const end = await own.endOfQuery(query);
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
    assert.match(String(end.outputFileName), new RegExp(`^scheduled/${id}/.*Z[.]csv$`));
    assert.equal(await own.read(query), 'patient_id\np-1\n');
    const runs = await app.people.records.read
      .selectFrom('queries')
      .select('id')
      .where('user_id', '=', userId)
      .execute();
    assert.equal(runs.length, 1);
    assert.equal((await app.call('DELETE', `${path(id)}/schedule`, { key })).status, 204);
    assert.equal(await scheduleOf(id, key), undefined);
    const { items } = (await app.call('GET', '/v1/audit-events?action=savedQueries.schedule')).body;
    assert.equal(items.length, 2);
  });

  test('a schedule ends with the right of its owner, and a statement that fails is named', async () => {
    const owner = await app.people.member(app.account, ['readData'], here);
    const { key } = owner;
    const faulty = await save('SELECT nothing FROM nowhere', key);
    await plan(faulty, '0 2 * * *', key);
    await makeDue(faulty);
    await until(async () => (await scheduleOf(faulty, key))?.error === 'INVALID_QUERY', 'it was refused');
    assert.equal((await scheduleOf(faulty, key)).cron, '0 2 * * *');
    const id = await save('SELECT patient_id FROM patient', key);
    await plan(id, '0 2 * * *', key);
    await app.people.withdraw(owner);
    await makeDue(id);
    const row = () =>
      app.people.records.read
        .selectFrom('saved_queries')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    await until(async () => (await row()).schedule_error === 'FORBIDDEN', 'the schedule has ended');
    const { schedule_cron, schedule_at, schedule_query_id } = await row();
    assert.deepEqual([schedule_cron, schedule_at, schedule_query_id], [null, null, null]);
  });

  test('only the owner plans, in five fields; a change by another user ends the plan', async () => {
    const id = await save('SELECT patient_id FROM patient', undefined, true);
    for (const cron of ['0 0 30 2 *', 'every day', '* * * *'])
      assert.equal((await plan(id, cron)).status, 400, cron);
    const admin = await app.people.member(app.account, ['projectAdmin', 'readData'], here);
    assert.equal((await plan(id, '0 2 * * *', admin.key)).body.code, 'ONLY_ONESELF');
    assert.equal((await plan(id, '0 2 * * *')).status, 200);
    const body = { name: 'Renamed', statement: 'SELECT 2', shared: true };
    await app.call('PUT', path(id), { body: { ...body, name: 'By its owner' } });
    assert.ok(await scheduleOf(id));
    assert.equal((await app.call('PUT', path(id), { body, key: admin.key })).status, 200);
    assert.equal(await scheduleOf(id), undefined);
  });
});
