import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnPostgres, type Reply } from '../support/app.ts';
import { type Call, TestProject } from './project.ts';
import { fhirText, vcfText } from './texts.ts';

const equals = (value: unknown) => [{ operator: 'eq', value }];
const named = (id: string) => ({ target: 'patient', where: { patient: { id: equals(id) } } });
const all = { target: 'patient' };

describeOnPostgres('cohorts', (app) => {
  let project: TestProject;
  let other: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Cohorts');
    other = await TestProject.make(app.call, 'Other cohorts');
    await project.take('p.ndjson', fhirText('p', 5, 2));
    await project.take('s.vcf', vcfText('s', 3), { patientId: 'p-1' });
    await other.take('q.ndjson', fhirText('p', 2));
  });

  const post = (body: object, call: Call = app.call) =>
    call('POST', '/v1/cohorts', { body: { name: 'Cohort', ownerProject: project.id, ...body } });
  const make = async (body: object): Promise<Reply['body']> => {
    const reply = await post(body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const read = async (id: string, call: Call = app.call): Promise<Reply['body']> => {
    const reply = await call('GET', `/v1/cohorts/${id}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const dsl = (query: object, of: TestProject = project) => ({ project: of.id, queryType: 'dsl', query });
  const sql = (text: string, of: TestProject = project) => ({
    project: of.id,
    queryType: 'sql',
    query: { sql: text },
  });

  test('the members of a cohort are the union of its queries and its subjects, each patient once', async () => {
    const made = await make({
      queries: [
        dsl(named('p-0')),
        sql("SELECT patient_id FROM observation WHERE patient_id IN ('p-0', 'p-1')"),
        { project: project.id, queryType: 'subjects', query: { subjectIds: ['p-1', 'p-2', 'nobody'] } },
      ],
      subjectIds: ['p-2', 'p-3'],
    });
    assert.equal(made.resultCount, 4);
    assert.deepEqual(
      await project.ask(`select patient_id from cohort where cohort_id = '${made.id}' order by 1`),
      ['p-0', 'p-1', 'p-2', 'p-3'],
    );
    const asked = await app.call('POST', '/v1/analytics/dsl', { body: { cohortId: made.id, query: all } });
    assert.deepEqual(
      asked.body.data.patients.map((one: { id: string }) => one.id),
      ['p-0', 'p-1', 'p-2', 'p-3'],
    );
  });

  test('the date of its count stays while nothing is counted, also where there is nothing to count', async () => {
    const made = await make({ name: 'Of nobody' });
    assert.equal(made.countedTime, made.creationTime);
    const patch = async (body: object) =>
      (await app.call('PATCH', `/v1/cohorts/${made.id}`, { body })).body.countedTime;
    const listed = async () => {
      const { body } = await app.call('GET', `/v1/cohorts?projectId=${project.id}&name=Of nobody`);
      return body.items[0].countedTime;
    };
    assert.deepEqual(
      [(await read(made.id)).countedTime, await listed(), await patch({ description: 'Empty' })],
      [made.countedTime, made.countedTime, made.countedTime],
    );
    const counted = await patch({ queries: [dsl(named('p-0'))] });
    const emptied = await patch({ queries: [] });
    assert.ok(made.countedTime < counted && counted < emptied, `${made.countedTime} ${counted} ${emptied}`);
    assert.deepEqual([(await read(made.id)).countedTime, await listed()], [emptied, emptied]);
    const { key } = await app.people.member(app.account, ['readData'], {
      'resource.type': { comparison: 'equals', value: 'cohort' },
    });
    const queries = [dsl(named('p-0'))];
    const hidden = (await app.call('PATCH', `/v1/cohorts/${made.id}`, { body: { queries } })).body;
    const seen = (await app.call('GET', `/v1/cohorts/${made.id}`, { key })).body;
    assert.deepEqual([seen.queries, seen.resultCount], [[], 0]);
    assert.ok(seen.countedTime <= hidden.countedTime && seen.countedTime > emptied);
  });

  test('a cohort shows its queries, and a change recounts it', async () => {
    const made = await make({ name: 'Shown', description: 'First', queries: [dsl(named('p-0'))] });
    const { creationTime, countedTime, creatorUser, ...shown } = made;
    assert.deepEqual(shown, {
      id: made.id,
      name: 'Shown',
      description: 'First',
      ownerProject: project.id,
      resultCount: 1,
      queries: [dsl(named('p-0'))],
      subjectIds: [],
    });
    assert.match(creationTime, /^\d{4}-.*Z$/);
    const patch = (body: object) => app.call('PATCH', `/v1/cohorts/${made.id}`, { body });
    assert.equal((await patch({ name: 'Renamed' })).body.resultCount, 1);
    const changed = (await patch({ queries: [dsl(all)] })).body;
    assert.deepEqual([changed.name, changed.description, changed.resultCount], ['Renamed', 'First', 5]);
    assert.equal((await patch({ queries: [], subjectIds: ['p-4'] })).body.resultCount, 1);
    assert.deepEqual(await project.ask(`select patient_id from cohort where cohort_id = '${made.id}'`), [
      'p-4',
    ]);
    assert.equal((await patch({ ownerProject: other.id })).status, 400);
    assert.equal((await app.call('DELETE', `/v1/cohorts/${made.id}`)).status, 204);
    assert.equal((await app.call('DELETE', `/v1/cohorts/${made.id}`)).status, 404);
    assert.deepEqual(await project.ask(`select count(*) from cohort where cohort_id = '${made.id}'`), ['0']);
    const { creatorUser: by } = made;
    assert.equal(by, creatorUser);
  });

  test('a cohort counts again after new data: on reading it, and before a statement reads its members', async () => {
    const growing = await TestProject.make(app.call, `Growing ${app.folder.slice(-4)}`);
    const made = (await post({ ownerProject: growing.id, queries: [dsl(all, growing)], subjectIds: ['g-0'] }))
      .body;
    assert.equal(made.resultCount, 0);
    assert.deepEqual(await growing.ask(`select count(*) from cohort`), ['0']);
    const file = await growing.take('g.ndjson', fhirText('g', 3));
    assert.deepEqual(await growing.ask('select count(*) from cohort'), ['3']);
    assert.equal((await read(made.id)).resultCount, 3);
    await growing.take('h.ndjson', fhirText('h', 1));
    assert.equal((await read(made.id)).resultCount, 4);
    assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
    assert.equal((await read(made.id)).resultCount, 1);
  });

  test('a cohort whose query breaks reports that, and keeps its last count with its date', async () => {
    const breaking = await TestProject.make(app.call, `Breaking ${app.folder.slice(-4)}`);
    await breaking.take('b.ndjson', fhirText('b', 3));
    const file = await breaking.take('s.vcf', vcfText('s', 3), { patientId: 'b-1' });
    const text = 'SELECT patient_id FROM sequence s JOIN variant v ON v.sample_id = s.id';
    const made = (await post({ ownerProject: breaking.id, queries: [sql(text, breaking)] })).body;
    assert.equal(made.resultCount, 1);
    assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
    const broken = await read(made.id);
    assert.deepEqual([broken.resultCount, broken.countedTime], [1, made.countedTime]);
    assert.match(broken.error, /^A query is not valid: line 1, column \d+: there is no table .*\.$/);
    await breaking.take('t.vcf', vcfText('t', 1), { patientId: 'b-2' });
    const whole = await read(made.id);
    assert.deepEqual([whole.resultCount, whole.error], [1, undefined]);
    assert.deepEqual(await breaking.ask('select patient_id from cohort'), ['b-2']);
  });

  test('an invalid query is refused with the path of every error at once', async () => {
    const reply = await post({
      queries: [
        dsl({ target: 'variant' }),
        dsl({ target: 'patient', where: { patient: { conditions: { nothing: equals(1) } } } }),
        { project: project.id, queryType: 'sql', query: {} },
        { project: project.id, queryType: 'subjects', query: { subjectIds: [1] } },
      ],
    });
    assert.equal(reply.status, 400);
    assert.deepEqual(
      reply.body.details.map((detail: { path: string }) => detail.path),
      [
        'body/queries/0/query/target',
        'body/queries/1/query/where/patient/conditions/nothing',
        'body/queries/2/query/sql',
        'body/queries/3/query/subjectIds',
      ],
    );
    for (const text of [
      'SELECT gender FROM demographic',
      'SELECT * FROM nothing',
      'DROP TABLE patient',
      "SELECT * FROM read_csv('/etc/passwd')",
      'SELECT patient_id FROM cohort',
    ]) {
      const wrong = await post({ queries: [sql(text)] });
      assert.equal(wrong.status, 400, `${text}: ${wrong.text}`);
      assert.equal(wrong.body.details[0].path, 'body/queries/0/query/sql');
    }
    for (const [text, reported] of [
      ['SELECT gender FROM demographic', /^must select a column patient_id$/],
      ["SELECT patient_id FROM demographic WHERE gendre = 'male'", /"gendre"/],
      ['SELECT patient_id, d.nothing FROM demographic d', /"nothing"/],
      ['SELECT p.patient_id FROM demographic d', /"p"/],
    ] as const) {
      const { body } = await post({ queries: [sql(text)] });
      assert.match(body.details[0].message, reported, text);
    }
    assert.equal((await post({ ownerProject: 'nowhere' })).status, 404);
    assert.equal((await post({ queries: [{ ...dsl(all), project: 'nowhere' }] })).status, 404);
  });

  test('patients of several projects are united, and each reader counts only readable patients', async () => {
    const made = await make({ name: 'Both', queries: [dsl(all), dsl(all, other)] });
    assert.equal(made.resultCount, 7);
    const rule = { 'resource.dataset': { comparison: 'equals', value: project.id } };
    const reader = await app.people.member(app.account, ['readData'], rule);
    const asReader: Call = (method, path, options) => app.call(method, path, { key: reader.key, ...options });
    const seen = await read(made.id, asReader);
    assert.deepEqual([seen.resultCount, seen.queries.length], [5, 1]);
    const ask = async (call: Call, domain: string) =>
      (
        await call('POST', '/v1/analytics/dsl', {
          body: { cohort_id: made.id, query: { target: 'patient', domain } },
        })
      ).body.data;
    assert.equal((await ask(app.call, 'count')).count, 7);
    assert.equal((await ask(asReader, 'count')).count, 5);
    assert.equal((await ask(app.call, 'filter')).patients.length, 7);
    const body = { cohortId: made.id, datasetId: other.id, query: { target: 'patient', domain: 'count' } };
    assert.equal((await app.call('POST', '/v1/analytics/dsl', { body })).body.data.count, 2);
    assert.equal((await asReader('POST', '/v1/analytics/dsl', { body })).status, 404);
    const creator = await app.people.member(app.account, ['createData', 'readData'], rule);
    const asCreator: Call = (method, path, options) =>
      app.call(method, path, { key: creator.key, ...options });
    assert.equal((await post({ queries: [dsl(all, other)] }, asCreator)).status, 404);
    assert.equal((await post({ queries: [dsl(all)] }, asCreator)).status, 200);
  });

  test('a masked reader joins members by hashed ids, and reads no cohort', async () => {
    const made = await make({ queries: [dsl(named('p-1'))] });
    const reader = await app.people.member(app.account, ['readMaskedData']);
    const call: Call = (method, path, options) => app.call(method, path, { key: reader.key, ...options });
    assert.equal((await call('GET', `/v1/cohorts/${made.id}`)).status, 403);
    assert.deepEqual((await call('GET', `/v1/cohorts?projectId=${project.id}`)).body.items, []);
    const masked = project.as(call);
    const join = `select count(*) from cohort c join patient p on p.patient_id = c.patient_id where c.cohort_id = '${made.id}'`;
    assert.deepEqual(await masked.ask(join), ['1']);
    assert.deepEqual(await masked.ask("select count(*) from cohort where patient_id = 'p-1'"), ['0']);
    const ask = (query: object) =>
      call('POST', '/v1/analytics/dsl', { body: { datasetId: project.id, query } });
    assert.deepEqual((await ask(named('p-1'))).body.data, { patients: [] });
    const [first] = (await ask({ ...all, options: { fields: ['dob'] } })).body.data.patients;
    assert.match(first.id, /^[0-9a-f]{32}$/);
    assert.equal(first.dob, '1970-01-01');
  });

  test('the list begins with a name and its pages hold each cohort once', async () => {
    for (const name of ['Page b', 'page A', 'Page c', 'Page b']) await make({ name });
    const names: string[] = [];
    let path = `/v1/cohorts?projectId=${project.id}&name=PAGE&pageSize=1`;
    while (path) {
      const { body } = await app.call('GET', path);
      names.push(...body.items.map((one: { name: string }) => one.name));
      path = body.links.next;
    }
    assert.deepEqual(names, ['page A', 'Page b', 'Page b', 'Page c']);
    assert.equal((await app.call('GET', '/v1/cohorts')).status, 400);
  });

  test('many who read a cohort at once over new data get one count, and one set of members', async () => {
    const busy = await TestProject.make(app.call, `Busy ${app.folder.slice(-4)}`);
    const made = (await post({ ownerProject: busy.id, queries: [dsl(all, busy)] })).body;
    await busy.take('b.ndjson', fhirText('b', 4));
    const counts = await Promise.all(
      Array.from({ length: 8 }, async () => (await read(made.id)).resultCount),
    );
    assert.deepEqual(new Set(counts), new Set([4]));
    assert.deepEqual(await busy.ask('select count(*) from cohort'), ['4']);
  });

  test('several who change a cohort at once leave the members of what it then asks', async () => {
    const subjects = (ids: string[]) => ({
      project: other.id,
      queryType: 'subjects',
      query: { subjectIds: ids },
    });
    const ids: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const made = await make({ subjectIds: ['p-0'], queries: [subjects(['p-1'])] });
      const patch = (body: object) => app.call('PATCH', `/v1/cohorts/${made.id}`, { body });
      const replies = await Promise.all([
        patch({ subjectIds: ['p-0', 'p-1', 'p-2'] }),
        patch({ queries: [sql('SELECT patient_id FROM patient', other)] }),
        patch({ name: 'Changed' }),
      ]);
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200, 200],
      );
      const { name, resultCount } = await read(made.id);
      assert.deepEqual([name, resultCount], ['Changed', 5]);
      ids.push(made.id);
    }
    const members = 'select cohort_id, count(*) from cohort group by 1';
    for (const [one, count] of [
      [project, 3],
      [other, 2],
    ] as const) {
      const counts = new Set(await one.ask(members));
      for (const id of ids) assert.ok(counts.has(`${id},${count}`), `${count} of ${id}`);
    }
  });
});
