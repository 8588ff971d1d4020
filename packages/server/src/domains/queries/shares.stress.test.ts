import assert from 'node:assert/strict';
import { afterEach, before, test } from 'node:test';
import { describeOnPostgres } from '../../../../../test/support/app.ts';
import type { Person } from '../../../../../test/support/people.ts';
import { TrinoClient } from '../../../../../test/support/trino.ts';
import { until } from '../../../../../test/support/until.ts';

const path = '/v1/analytics/data-lake/query';
const product = (rows: number) =>
  `SELECT count(*) FROM range(${rows}) a(i), range(100000) b(j) WHERE hash(i + j) = 1`;
const endless = product(100_000_000);
/** Run time from which on a statement is long. */
const queryShortMs = 100;
/** Seconds of work. */
const long = product(6000);

describeOnPostgres(
  'long statements of a reader of masked data',
  (app) => {
    let project: string;
    let busy: Person;
    let calm: Person;
    const started: string[] = [];

    before(async () => {
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Shares' } })).body.id;
      busy = await app.people.member(app.account, ['readMaskedData']);
      calm = await app.people.member(app.account, ['readData']);
    });

    const start = async (query: string, { key }: Person): Promise<string> => {
      const body = { query, datasetId: project, outputFileName: 'shares.csv' };
      const reply = await app.call('POST', path, { key, body });
      assert.equal(reply.status, 200, reply.text);
      started.push(reply.body.queryId);
      return reply.body.queryId;
    };
    const stateOf = async (id: string) => (await app.call('GET', `${path}/${id}`)).body;
    const cancel = (id: string) => app.call('DELETE', `${path}/${id}`);
    // An endless statement that a failed test left would take the processors of all others.
    afterEach(async () => {
      for (const id of started.splice(0)) await cancel(id);
    });
    const jobOf = (id: string) =>
      app.people.records.read
        .selectFrom('jobs')
        .innerJoin('queries', 'queries.job_id', 'jobs.id')
        .select(['jobs.state', 'jobs.set_aside', 'jobs.attempts', 'jobs.claimed_at'])
        .where('queries.id', '=', id)
        .executeTakeFirstOrThrow();
    const isRunning = async (id: string) => (await jobOf(id)).state === 'running';
    /** Long work yields its place, of two runs the later one: before that the earlier would. */
    const isLong = async (id: string) => {
      const { state, claimed_at } = await jobOf(id);
      return state === 'running' && Date.now() - Number(claimed_at) > queryShortMs;
    };

    test('long statements leave a place to another reader of the project, through any door', async () => {
      const held = [await start(endless, busy), await start(endless, busy)];
      for (const id of held) await until(() => isRunning(id), 'it runs');
      const quick = await start('SELECT 1 AS one', calm);
      await until(async () => (await stateOf(quick)).state === 'succeeded', 'the short one ended');
      for (const id of held) await until(() => isRunning(id), 'it runs again');
      const body = { datasetId: project, query: 'SELECT 1 AS one' };
      const rows = await app.call('POST', '/v1/analytics/data-lake/rows', { key: calm.key, body });
      assert.deepEqual(rows.body.rows, [[1]]);
      const trino = new TrinoClient(app.address, calm.key);
      assert.deepEqual((await trino.run('SELECT 1', { 'x-trino-schema': 'shares' })).rows, [[1]]);
      const states = await Promise.all(held.map(stateOf));
      assert.deepEqual(
        states.map(({ state }) => state),
        ['running', 'running'],
      );
    });

    test('long statements run again after they were set aside, and have one result and one event', async () => {
      const first = await start(endless, busy);
      await until(() => isRunning(first), 'it runs');
      const id = await start(long, busy);
      await until(() => isLong(id), 'the second one is long');
      const quick = await start('SELECT 2 AS two', calm);
      await until(async () => (await stateOf(quick)).state === 'succeeded', 'the short one ended');
      assert.equal((await jobOf(id)).set_aside, 1);
      for (const one of [first, id]) await until(() => isRunning(one), 'both run again');
      const next = await start('SELECT 6 AS six', calm);
      await until(async () => (await stateOf(next)).state === 'succeeded', 'the next short one ended');
      // Positions are those of a second ago at most.
      await until(async () => (await stateOf(first)).waiting?.position === 1, 'it is the next one');
      const { waiting, state } = await stateOf(first);
      assert.equal(state, 'running');
      assert.ok(Math.abs(Date.now() - waiting.since) < 60_000);
      await cancel(first);
      await until(async () => (await stateOf(id)).state === 'succeeded', 'it ended');
      const { claimed_at: _, ...end } = await jobOf(id);
      assert.deepEqual(end, { state: 'succeeded', set_aside: 1, attempts: 1 });
      const { read } = app.people.records;
      const files = await read.selectFrom('files').select('id').where('id', '=', id).execute();
      const events = await read
        .selectFrom('audit_events')
        .select('action')
        .where('resource_id', '=', id)
        .where('action', '=', 'lake.run')
        .execute();
      assert.deepEqual([files.length, events.length], [1, 1]);
    });

    test('long statements stay cancelled when they are cancelled while they wait', async () => {
      const first = await start(endless, busy);
      await until(() => isRunning(first), 'it runs');
      const id = await start(endless, busy);
      await until(() => isLong(id), 'the second one is long');
      const quick = await start('SELECT 3 AS three', calm);
      await until(async () => (await stateOf(quick)).state === 'succeeded', 'the short one ended');
      for (const one of [first, id]) await until(() => isRunning(one), 'both run again');
      const next = await start('SELECT 6 AS six', calm);
      await until(async () => (await stateOf(next)).state === 'succeeded', 'the next short one ended');
      const held = await Promise.all([first, id].map(stateOf));
      const lost = held.find(({ waiting }) => waiting !== undefined);
      assert.ok(lost);
      assert.equal((await cancel(lost.id)).body.state, 'cancelled');
      for (const { id: other } of held) if (other !== lost.id) await cancel(other);
      const last = await start('SELECT 4 AS four', calm);
      await until(async () => (await stateOf(last)).state === 'succeeded', 'the places are free');
      assert.equal((await stateOf(lost.id)).state, 'cancelled');
      assert.equal((await jobOf(lost.id)).state, 'cancelled');
    });

    test('long statements are QUEUED over the Trino protocol while they wait', async (context) => {
      const client = new TrinoClient(app.address, busy.key);
      const uri = await client.send(endless, { 'x-trino-schema': 'shares' });
      context.after(() => client.ask(uri, 'DELETE'));
      const state = async () =>
        (await app.call('GET', `/v1/query/${uri.split('/').at(-2)}`, { key: busy.key })).body.state;
      await until(async () => (await state()) === 'RUNNING', 'it runs');
      const first = await start(endless, busy);
      await until(() => isLong(first), 'the second one is long');
      const quick = await start('SELECT 5 AS five', calm);
      await until(async () => (await stateOf(quick)).state === 'succeeded', 'the short one ended');
      await until(() => isRunning(first), 'it runs again');
      await until(async () => (await state()) === 'RUNNING', 'both run');
      const next = await start('SELECT 6 AS six', calm);
      await until(async () => (await stateOf(next)).state === 'succeeded', 'the next short one ended');
      assert.equal(await state(), 'QUEUED');
    });
  },
  { PLOIDY_QUERIES_MAX: '2' },
  { queryShortMs },
);
