import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/people.ts';
import { postgresSkip, startPrepared } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { TestProject } from './project.ts';

/** Two that answer, and one that works. */
const roles = ['api', 'api', 'ingest,query,maintenance'];
const patients = ['p0', 'p1', 'p2'];
const resources = patients
  .map((id) => JSON.stringify({ resourceType: 'Patient', id, gender: 'female' }))
  .join('\n');

describe('three processes with roles of their own on one database', { skip: postgresSkip }, () => {
  let database: { url: string; stop(): Promise<void> };
  const apps: TestApp[] = [];
  let project: TestProject;

  before(async () => {
    database = await startPrepared();
    for (const PLOIDY_ROLES of roles) {
      const folder = apps[0]?.folder;
      apps.push(
        await openTestApp({
          PLOIDY_DATABASE_URL: database.url,
          PLOIDY_ROLES,
          ...(folder !== undefined && { PLOIDY_DATA_DIR: folder }),
        }),
      );
    }
    project = await TestProject.make(first().call, 'Roles');
    await project.take('patients.ndjson', resources);
  });
  after(async () => {
    for (const app of apps.toReversed()) await app.stop();
    await database?.stop();
  });

  const first = (): TestApp => {
    const [app] = apps;
    assert.ok(app);
    return app;
  };
  const doors = (): TestApp[] => apps.slice(0, 2);
  const asked = (app: TestApp, { key, account }: Person) =>
    app.call('POST', '/v1/analytics/data-lake/rows', {
      key,
      account,
      body: { datasetId: project.id, query: 'SELECT patient_id FROM patient ORDER BY 1' },
    });
  /** Ids that each process answers with, or its status. */
  const seenBy = (person: Person): Promise<unknown[]> =>
    Promise.all(
      doors().map(async (app) => {
        const reply = await asked(app, person);
        return reply.status === 200 ? reply.body.rows.flat().join() : reply.status;
      }),
    );
  const everywhere = (person: Person, answer: unknown, what: string): Promise<void> =>
    until(async () => (await seenBy(person)).every((one) => one === answer), what);
  /** A reader of all rows, whose one policy can be changed. */
  const reader = async (): Promise<{
    person: Person;
    narrow: (by: TestApp, rule: object) => Promise<void>;
  }> => {
    const { account, people } = first();
    const person = await people.member(account, []);
    const name = `reader-${person.userId.slice(24)}`;
    const mine = { 'user.id': { comparison: 'equals', value: person.userId } };
    const put = async (by: TestApp, rule: object, method: string, path: string): Promise<void> => {
      const body = { name, policy: { rules: { readData: [{ ...mine, ...rule }] } } };
      const { key } = first();
      const reply = await by.call(method, path, { key, account, body });
      assert.equal(reply.status, 200, reply.text);
    };
    await put(first(), {}, 'POST', '/v1/policies');
    return { person, narrow: (by, rule) => put(by, rule, 'PUT', `/v1/policies/${name}`) };
  };

  test('a key that is revoked through any of them is refused by all', async () => {
    for (const by of doors()) {
      const { person } = await reader();
      await everywhere(person, patients.join(), 'the key works everywhere');
      const { body } = await first().call('GET', '/v1/api-keys', {
        key: person.key,
        account: person.account,
      });
      const [{ id }] = body.items;
      const gone = await by.call('DELETE', `/v1/api-keys/${id}`, {
        key: person.key,
        account: person.account,
      });
      assert.equal(gone.status, 204, gone.text);
      assert.equal((await asked(by, person)).status, 401);
      await everywhere(person, 401, 'the key is refused everywhere');
    }
  });

  test('rows that a policy takes away through any of them are given by none, and so are all rows', async () => {
    for (const by of doors()) {
      const { person, narrow } = await reader();
      await everywhere(person, patients.join(), 'all rows are seen everywhere');
      await narrow(by, { 'resource.subject': { comparison: 'equals', value: 'p1' } });
      assert.equal((await asked(by, person)).body.rows.flat().join(), 'p1');
      await everywhere(person, 'p1', 'one patient is seen everywhere');
      await first().people.withdraw(person);
      await everywhere(person, 403, 'nothing is seen anywhere');
    }
  });

  test('an ingestion and queries run in the process without requests, with the rights of their user', async () => {
    const { person, narrow } = await reader();
    const { account } = first();
    const api = TestProject.at(
      (method, path, options) => first().call(method, path, { key: person.key, account, ...options }),
      project.id,
    );
    assert.deepEqual(await api.ask('SELECT patient_id FROM patient ORDER BY 1'), patients);
    await narrow(first(), { 'resource.subject': { comparison: 'equals', value: 'p2' } });
    assert.deepEqual(await api.ask('SELECT patient_id FROM patient ORDER BY 1'), ['p2']);
    const [, , worker] = apps;
    assert.ok(worker);
    assert.equal((await worker.call('GET', '/v1/projects')).status, 404);
  });
});
