/** A cohort whose queries ask for the time holds until midnight of UTC, whether data come or not. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnSqlite, type Reply } from '../support/app.ts';
import { TestProject } from './project.ts';
import { fhirText } from './texts.ts';

const dayMs = 86_400_000;
/** Cohort state of a day without members, and of the next day with all. */
const [then, now] = ["DATE '1000-01-01' > current_date", "DATE '1000-01-01' < current_date"];

describeOnSqlite('cohorts that depend on the day', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Days');
    await project.take('p.ndjson', fhirText('p', 3));
  });

  const sql = (condition: string) => ({
    project: project.id,
    queryType: 'sql',
    query: { sql: `SELECT patient_id FROM demographic WHERE ${condition}` },
  });
  const ofAge = (operator: string, value: number) => ({
    project: project.id,
    queryType: 'dsl',
    query: { target: 'patient', where: { patient: { demographics: { age: [{ operator, value }] } } } },
  });
  const make = async (query: object): Promise<Reply['body']> => {
    const body = { name: 'Cohort', ownerProject: project.id, queries: [query] };
    const made = await app.call('POST', '/v1/cohorts', { body });
    assert.equal(made.status, 200, made.text);
    return made.body;
  };
  const read = async (id: string): Promise<Reply['body']> => {
    const { status, text, body } = await app.call('GET', `/v1/cohorts/${id}`);
    assert.equal(status, 200, text);
    return body;
  };
  const holdsUntil = async (id: string): Promise<number | null> => {
    const { read: records } = app.people.records;
    const part = records.selectFrom('cohort_parts').select('holds_until').where('cohort_id', '=', id);
    return (await part.executeTakeFirstOrThrow()).holds_until;
  };
  /** Moves the cohort to a day that has ended, on which its queries had another answer than today. */
  const laterAsks = (id: string, query: object): Promise<unknown> =>
    app.people.records.transact(async (tx) => {
      const queries = JSON.stringify([query]);
      await tx.updateTable('cohorts').set({ queries }).where('id', '=', id).execute();
      const ended = Math.floor(Date.now() / dayMs) * dayMs;
      const part = tx.updateTable('cohort_parts').set({ holds_until: ended }).where('cohort_id', '=', id);
      await part.where('holds_until', 'is not', null).execute();
    });

  test('a count holds until the next midnight UTC, and is computed once', async () => {
    for (const query of [sql(then), ofAge('gt', 200), ofAge('lt', 0)]) {
      const before = Date.now();
      const { id, countedTime, resultCount } = await make(query);
      assert.equal(resultCount, 0);
      const midnight = (await holdsUntil(id)) ?? 0;
      assert.equal(midnight % dayMs, 0);
      assert.ok(before < midnight && midnight <= Date.now() + dayMs, `${midnight}`);
      assert.equal((await read(id)).countedTime, countedTime);
    }
  });

  test('the count of a cohort whose query does not depend on the day is kept while its data are unchanged', async () => {
    const twoAges = sql("age(TIMESTAMP '2020-01-01', CAST(birth_date AS TIMESTAMP)) > INTERVAL 30 YEAR");
    const born = sql("birth_date < DATE '1980-01-01' AND gender <> 'current_date now()'");
    for (const query of [sql('true'), twoAges, born]) {
      const { id, countedTime } = await make(query);
      assert.equal(await holdsUntil(id), null);
      await laterAsks(id, sql('false'));
      const { items } = (await app.call('GET', `/v1/cohorts?projectId=${project.id}`)).body;
      assert.equal(items.find((one: { id: string }) => one.id === id).countedTime, countedTime);
      assert.equal((await read(id)).countedTime, countedTime);
    }
  });

  const readers: Record<string, (id: string) => Promise<number>> = {
    'on reading it': async (id) => (await read(id)).resultCount,
    'in the list': async (id) => {
      const { items } = (await app.call('GET', `/v1/cohorts?projectId=${project.id}`)).body;
      return items.find((one: { id: string }) => one.id === id).resultCount;
    },
    'in the table of members': async (id) =>
      Number((await project.ask(`SELECT count(*) FROM cohort WHERE cohort_id = '${id}'`))[0]),
    'in a question': async (id) => {
      const body = { cohortId: id, query: { target: 'patient', domain: 'count' } };
      return (await app.call('POST', '/v1/analytics/dsl', { body })).body.data.count;
    },
  };
  for (const [where, count] of Object.entries(readers)) {
    test(`a cohort is counted again when its day has ended ${where}, by the current day`, async () => {
      for (const [before, after] of [
        [sql(then), sql(now)],
        [ofAge('gt', 200), ofAge('lt', 200)],
      ] as const) {
        const { id } = await make(before);
        assert.equal(await count(id), 0);
        await laterAsks(id, after);
        assert.equal(await count(id), 3);
        assert.ok(((await holdsUntil(id)) ?? 0) > Date.now());
        await laterAsks(id, sql('true'));
        assert.equal(await count(id), 3);
        assert.equal(await holdsUntil(id), null);
      }
    });
  }

  test('a cohort whose query fails on a later day keeps its last count and is counted again the day after', async () => {
    const { id, countedTime } = await make(sql(now));
    await laterAsks(id, sql('nothing'));
    const broken = await read(id);
    assert.deepEqual([broken.resultCount, broken.countedTime], [3, countedTime]);
    assert.ok(broken.error);
    assert.ok(((await holdsUntil(id)) ?? 0) > Date.now());
    await laterAsks(id, sql(then));
    const { resultCount, error } = await read(id);
    assert.deepEqual([resultCount, error], [0, undefined]);
  });
});
