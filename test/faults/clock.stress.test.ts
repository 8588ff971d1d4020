/**
 * The clock of the day is set while the service works: forward by a day, then back. Work goes on, what has an end keeps it by the
 * clock, lists stay whole. The clock is that of the process; PostgreSQL, by whose clock its processes keep leases, has its own.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { verifyChains } from '../../packages/server/src/domains/audit/index.ts';
import { TokenFlow } from '../../packages/server/src/domains/authentication/oauth/tests/token-flow.fixture.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { describeOnPostgres, type Reply, type TestApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { resetClock, setClock } from './set-clock.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const endless = 'select count(*) from range(100000000) a(i), range(100000) b(j) where hash(i + j) = 1';

/** A query that runs while the clock is set, and must keep its lease. */
class Running {
  readonly #app: TestApp;
  readonly #project: TestProject;
  #id = '';

  constructor(app: TestApp, project: TestProject) {
    this.#app = app;
    this.#project = project;
  }

  async begin(): Promise<void> {
    this.#id = await this.#project.startQuery(endless);
    await until(async () => (await this.#job()).state === 'running', 'it runs');
  }

  /**
   * Long query. Its lease is prolonged twice, so that in between abandoned jobs were looked for; it runs on, and is the first
   * attempt.
   */
  async assertGoesOn(): Promise<void> {
    for (let renewals = 0; renewals < 2; renewals += 1) {
      const { lease_until: before } = await this.#job();
      await until(async () => (await this.#job()).lease_until !== before, 'its lease is prolonged');
    }
    const { state, attempts } = await this.#job();
    assert.deepEqual([state, attempts], ['running', 1]);
  }

  async cancel(): Promise<void> {
    assert.equal((await this.#project.cancelQuery(this.#id)).status, 200);
    assert.equal((await this.#project.query(this.#id)).state, 'cancelled');
  }

  #job() {
    const { read } = this.#app.people.records;
    const query = read.selectFrom('queries').select('job_id').where('id', '=', this.#id);
    const jobs = read.selectFrom('jobs').select(['state', 'attempts', 'lease_until']);
    return jobs.where('id', '=', query).executeTakeFirstOrThrow();
  }
}

function body(app: TestApp): void {
  let project: TestProject;
  let running: Running;
  let flow: TokenFlow;
  const begin = (name: string) => app.call('POST', '/v1/files', { body: { name, datasetId: project.id } });
  const put = async (url: string) => (await fetch(url, { method: 'PUT', body: 'bytes' })).status;
  const makeKey = async (expireInDays: number): Promise<string> =>
    (await app.call('POST', '/v1/api-keys', { body: { name: 'clock', expireInDays } })).body.key;
  const status = async (key: string) => (await app.call('GET', '/v1/projects', { key })).status;

  before(async () => {
    project = await TestProject.make(app.call, 'Clock 0');
    running = new Running(app, project);
    flow = await TokenFlow.open(app);
  });
  after(resetClock);

  /** Returns the names of all projects, one page each. */
  async function pages(): Promise<string[]> {
    const names: string[] = [];
    for (let path: string | undefined = '/v1/projects?pageSize=1'; path !== undefined; ) {
      const { body }: Reply = await app.call('GET', path);
      names.push(...body.items.map(({ name }: { name: string }) => name));
      path = body.links.next;
    }
    return names;
  }

  async function assertAuditWhole(): Promise<void> {
    const chains = await verifyChains(app.people.records.read);
    assert.ok(chains.length > 0);
    for (const { account, brokenAt } of chains) assert.equal(brokenAt, undefined, account);
  }

  test('forward by a day: what runs goes on, what was given for less has ended, what is given now works', async () => {
    const { body: early } = await begin('early.txt');
    const [short, long] = [await makeKey(1), await makeKey(30)];
    const tokens = await flow.signIn();
    assert.deepEqual([await status(short), await flow.works(tokens.access_token)], [200, 200]);
    await running.begin();
    setClock(dayMs + hourMs);
    await TestProject.make(app.call, 'Clock 1');
    await running.assertGoesOn();
    await running.cancel();
    await project.take('forward.ndjson', fhirText('forward', 10, 1));
    assert.deepEqual([await status(short), await status(long)], [401, 200]);
    assert.equal(await flow.works(tokens.access_token), 401);
    const refreshed = await flow.refresh(tokens.refresh_token);
    assert.equal(refreshed.status, 200, 'a refresh token lives 30 days');
    assert.equal(await flow.works(refreshed.body.access_token), 200);
    assert.equal(await put(early.uploadUrl), 403, 'an address lives 12 hours');
    assert.equal(await put((await begin('late.txt')).body.uploadUrl), 200);
    assert.deepEqual(await pages(), ['Clock 0', 'Clock 1']);
    await assertAuditWhole();
  });

  test('a clock moved back by an hour or a day leaves running work and earlier credentials intact, without waiting', async () => {
    const { body: given } = await begin('given.txt');
    const key = await makeKey(1);
    await running.begin();
    for (const [number, ahead] of [dayMs, -hourMs].entries()) {
      setClock(ahead);
      await TestProject.make(app.call, `Clock ${number + 2}`);
      assert.equal(await status(key), 200);
      assert.equal(await put((await begin(`back-${number}.txt`)).body.uploadUrl), 200);
      await running.assertGoesOn();
    }
    await running.cancel();
    await project.take('back.ndjson', fhirText('back', 10, 1));
    assert.equal(await project.count('patient'), 20);
    assert.equal(await put(given.uploadUrl), 200);
    const fresh = await TokenFlow.open(app);
    const tokens = await fresh.signIn();
    assert.equal(await fresh.works(tokens.access_token), 200);
    assert.equal((await fresh.refresh(tokens.refresh_token)).status, 200);
    assert.deepEqual(await pages(), ['Clock 0', 'Clock 1', 'Clock 2', 'Clock 3']);
    await assertAuditWhole();
  });
}

// Leases short enough to be prolonged and checked while the tests run, beside a query that uses one core meanwhile.
describeOnPostgres('a clock that is set', body, { PLOIDY_JOB_LEASE: '4s', PLOIDY_THREADS: '1' });
