import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { workersOf } from '../../packages/engine/src/engine.fixture.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { postgresSkip, startPrepared } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { TestProject } from './project.ts';

const endless = 'select count(*) from range(100000000000000) t(i) where i % 7 = 3';

describe('queries of two services on one database', { skip: postgresSkip }, () => {
  let database: { url: string; stop(): Promise<void> };
  let one: TestApp;
  let two: TestApp;
  let project: TestProject;
  let elsewhere: TestProject;

  before(async () => {
    database = await startPrepared();
    const settings = {
      PLOIDY_DATABASE_URL: database.url,
      // Two queries run in two services, so that no process waits for a third.
      PLOIDY_QUERIES_MAX: '1',
      PLOIDY_IDLE_WORKERS: '0',
    };
    one = await openTestApp(settings);
    two = await openTestApp({ ...settings, PLOIDY_DATA_DIR: one.folder });
    project = await TestProject.make(one.call, 'Two services');
    const { key, account } = one;
    elsewhere = project.as((method, path, options) => two.call(method, path, { key, account, ...options }));
  });
  after(async () => {
    await two?.stop();
    await one?.stop();
    await database?.stop();
  });

  const runners = async (): Promise<string[]> => {
    const jobs = await one.people.records.read
      .selectFrom('jobs')
      .select('owner')
      .where('kind', '=', 'lake.run')
      .where('state', '=', 'running')
      .execute();
    return [...new Set(jobs.map(({ owner }) => owner ?? ''))];
  };
  const workers = () => workersOf(process.pid, 'query');

  test('a query is cancelled through whichever service: it is so in both, no file is left, and its process dies', async () => {
    const ids = [
      await project.startQuery(endless, 'two.csv'),
      await elsewhere.startQuery(endless, 'two.csv'),
    ];
    await until(async () => (await runners()).length === 2, 'each service runs one of them');
    await until(() => workers().length === 2, 'each has its process');
    const running = workers();
    for (const id of ids) {
      const reply = await elsewhere.cancelQuery(id);
      assert.deepEqual([reply.status, reply.body.state], [200, 'cancelled'], reply.text);
      for (const service of [project, elsewhere]) assert.equal((await service.query(id)).state, 'cancelled');
      assert.equal((await project.cancelQuery(id)).status, 409);
    }
    await until(() => !workers().some((pid) => running.includes(pid)), 'both processes are gone');
    await until(() => readdirSync(join(one.folder, 'blobs/scratch')).length === 0, 'nothing is left of them');
    for (const id of ids) assert.equal((await one.call('GET', `/v1/files/${id}`)).status, 404);
    assert.deepEqual(await elsewhere.fileNames('two.csv'), []);
  });

  test('a query that waits for its turn is cancelled without having run', async () => {
    const busy = [await project.startQuery(endless), await project.startQuery(endless)];
    await until(async () => (await runners()).length === 2, 'both services are busy');
    const waiting = await project.startQuery('select 1');
    assert.equal((await elsewhere.cancelQuery(waiting)).status, 200);
    for (const id of busy) assert.equal((await elsewhere.cancelQuery(id)).status, 200);
    assert.deepEqual(await elsewhere.ask('select 2'), ['2'], 'others run on');
    assert.equal((await project.query(waiting)).state, 'cancelled');
    assert.equal((await one.call('GET', `/v1/files/${waiting}`)).status, 404);
  });
});
