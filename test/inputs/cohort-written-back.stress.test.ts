/** A change of a cohort affects only the parts visible to its writer. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnPostgres, type Reply } from '../support/app.ts';
import { type Call, TestProject } from './project.ts';
import { fhirText, vcfText } from './texts.ts';

const privileges = ['readData', 'createData', 'updateData'] as const;

describeOnPostgres('cohorts that are read, changed and written back', (app) => {
  let owning: TestProject;
  let other: TestProject;
  /** May do everything with data, in the owning project only. */
  let bob: Call;
  /** May read and change cohorts, and read no tables. */
  let clerk: Call;

  before(async () => {
    owning = await TestProject.make(app.call, 'Owning');
    other = await TestProject.make(app.call, 'Other');
    await owning.take('p.ndjson', fhirText('p', 4));
    await other.take('q.ndjson', fhirText('q', 3));
    bob = await memberWith({ 'resource.dataset': { comparison: 'equals', value: owning.id } });
    clerk = await memberWith({ 'resource.type': { comparison: 'equals', value: 'cohort' } });
  });

  const memberWith = async (rule: object): Promise<Call> => {
    const { key } = await app.people.member(app.account, [...privileges], rule);
    return (method, path, options) => app.call(method, path, { key, ...options });
  };
  const ok = (reply: Reply): Reply['body'] => {
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const asks = (of: TestProject, sql = 'SELECT patient_id FROM patient') => ({
    project: of.id,
    queryType: 'sql',
    query: { sql },
  });
  const make = async (body: object): Promise<string> => {
    const made = { name: 'Cohort', ownerProject: owning.id, ...body };
    return ok(await app.call('POST', '/v1/cohorts', { body: made })).id;
  };
  const read = async (id: string, call: Call = app.call) => ok(await call('GET', `/v1/cohorts/${id}`));
  const change = (id: string, body: object, call: Call = app.call) =>
    call('PATCH', `/v1/cohorts/${id}`, { body });
  const membersIn = (project: TestProject, id: string): Promise<string[]> =>
    project.ask(`SELECT patient_id FROM cohort WHERE cohort_id = '${id}' ORDER BY 1`);

  test('writing back a cohort as read removes no hidden part', async () => {
    const id = await make({ queries: [asks(owning), asks(other)], subjectIds: ['p-0'] });
    const whole = await read(id);
    for (const call of [bob, clerk]) {
      const { name, description, queries, subjectIds } = await read(id, call);
      ok(await change(id, { name, description, queries, subjectIds }, call));
      const { countedTime, ...present } = await read(id);
      const { countedTime: _, ...before } = whole;
      assert.deepEqual(present, before);
      assert.equal((await membersIn(other, id)).length, 3);
    }
  });

  test('a new list of queries replaces those that its writer sees, and only these', async () => {
    const id = await make({ queries: [asks(other), asks(owning)] });
    const narrowed = asks(owning, "SELECT patient_id FROM patient WHERE patient_id = 'p-1'");
    const seen = ok(await change(id, { queries: [narrowed] }, bob));
    assert.deepEqual([seen.queries, seen.resultCount], [[narrowed], 1]);
    const whole = await read(id);
    assert.deepEqual([whole.queries, whole.resultCount], [[narrowed, asks(other)], 4]);
    assert.deepEqual([await membersIn(owning, id), (await membersIn(other, id)).length], [['p-1'], 3]);
    assert.deepEqual(ok(await change(id, { queries: [] }, bob)).queries, []);
    assert.deepEqual((await read(id)).queries, [asks(other)]);
    const emptied = ok(await change(id, { queries: [] }));
    assert.deepEqual([emptied.queries, emptied.resultCount], [[], 0]);
    assert.deepEqual(await membersIn(other, id), []);
  });

  test('patients that are named one by one are neither shown nor cleared where their project may not be read', async () => {
    const id = await make({ subjectIds: ['p-0', 'p-1'] });
    const { subjectIds, resultCount } = await read(id, clerk);
    assert.deepEqual([subjectIds, resultCount], [[], 0]);
    assert.deepEqual(ok(await change(id, { subjectIds: [], queries: [] }, clerk)).subjectIds, []);
    assert.equal((await change(id, { subjectIds: ['p-2'] }, clerk)).status, 403);
    assert.deepEqual((await read(id)).subjectIds, ['p-0', 'p-1']);
    assert.deepEqual(await membersIn(owning, id), ['p-0', 'p-1']);
    assert.deepEqual(ok(await change(id, { subjectIds: [] }, bob)).subjectIds, []);
    assert.deepEqual((await read(id)).subjectIds, []);
  });

  test('a change neither runs nor reveals queries over projects that its writer may not read', async () => {
    const file = await other.take('s.vcf', vcfText('s', 1), { patientId: 'q-1' });
    const hidden = asks(other, 'SELECT patient_id FROM sequence s JOIN variant v ON v.sample_id = s.id');
    const id = await make({ queries: [asks(owning), hidden] });
    assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
    const { error, queries } = await read(id, bob);
    assert.deepEqual([error, queries], [undefined, [asks(owning)]]);
    assert.equal(ok(await change(id, { queries, subjectIds: ['p-0'] }, bob)).resultCount, 4);
    const whole = await read(id);
    assert.deepEqual([whole.queries, whole.resultCount], [[asks(owning), hidden], 5]);
    assert.match(whole.error, /there is no table/);
  });

  test('queries that are shown and those that are not are together as many as a cohort may have', async () => {
    const names = { queryType: 'subjects', query: { subjectIds: ['p-0', 'q-0'] } };
    const of = ({ id: project }: TestProject, length: number) =>
      Array.from({ length }, () => ({ project, ...names }));
    const id = await make({ queries: of(other, 15) });
    const many = (length: number) => change(id, { queries: of(owning, length) }, bob);
    const refused = await many(6);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.details[0].path, 'body/queries');
    ok(await many(5));
    const { queries } = await read(id);
    assert.equal(ok(await change(id, { queries })).queries.length, 20);
  });
});
