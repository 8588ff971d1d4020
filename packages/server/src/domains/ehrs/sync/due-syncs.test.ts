import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { smallResources } from '../../../../../../test/support/fhir/sample-resources.ts';
import { quickJobs } from '../../../../../../test/support/jobs.ts';
import { silent } from '../../../../../../test/support/records.ts';
import { Audit } from '../../audit/index.ts';
import { Ingestions } from '../../ingestion/index.ts';
import { EhrProject, ehrSettings } from '../ehr-project.fixture.ts';
import { DueSyncs } from './due-syncs.ts';
import { Syncs } from './syncs.ts';

const hourMs = 3_600_000;

describeApp(
  'schedules',
  (app) => {
    const made: EhrProject[] = [];
    after(() => Promise.all(made.map(({ server }) => server.stop())));

    /** Makes a schedule of the far future for the service, but due for another process, which alone starts it. */
    const make = async (name: string, sender = {}) => {
      const call: typeof app.call = (method, path, options) =>
        app.call(method, path, { ...sender, ...options });
      const ehr = await EhrProject.make(call, name, {
        resources: smallResources(2, 0, name.toLowerCase()),
      });
      made.push(ehr);
      const schedule = { cron: '0 0 1 1 *', datasetId: ehr.project };
      assert.equal((await ehr.ask('PATCH', '', { body: { schedule } })).status, 200);
      return ehr;
    };
    const inTwoYears = () => Date.now() + 2 * 366 * 24 * hourMs;
    const process = () => {
      const { records } = app.people;
      const audit = new Audit(records);
      const jobs = quickJobs(records);
      const syncs = new Syncs({ records, jobs, audit, ingestions: new Ingestions({ records, jobs, audit }) });
      return new DueSyncs({ records, syncs, log: silent });
    };
    const syncsOf = async (ehr: EhrProject) => (await ehr.ask('GET', '/syncs')).body.items;

    test('a due sync is started once by several processes, however many times were missed', async () => {
      const ehr = await make('Once');
      const now = inTwoYears();
      await Promise.all([process(), process(), process()].map((one) => one.begin(now)));
      const [sync, ...more] = await syncsOf(ehr);
      assert.deepEqual([sync.startedBy, more], ['SCHEDULE', []]);
      assert.equal((await ehr.end(sync.id)).state, 'succeeded');
      await process().begin(now);
      assert.equal((await syncsOf(ehr)).length, 1);
      const next = (await ehr.ask('GET', '')).body.schedule.next;
      assert.ok(Date.parse(next) > now, 'the next one is after now');
    });

    test('a schedule runs with the rights of its user, and its sync fails without them', async () => {
      const ehr = await make('Rights');
      const administrator = await app.people.member(app.account, ['accountAdmin', 'createData']);
      const body = { schedule: { cron: '0 0 1 1 *', datasetId: ehr.project } };
      const sender = { key: administrator.key, account: app.account };
      assert.equal((await ehr.ask('PATCH', '', { body, ...sender })).status, 200);
      const { records } = app.people;
      await records.transact(async (tx) => {
        await tx.deleteFrom('policies').where('document', 'like', `%${administrator.userId}%`).execute();
        await records.announce(tx, `access:${app.account}`);
      });
      await process().begin(inTwoYears());
      const [sync] = await syncsOf(ehr);
      const end = await ehr.end(sync.id);
      assert.deepEqual([end.state, end.error?.code], ['failed', 'FORBIDDEN']);
      assert.deepEqual(ehr.server.seen, []);
    });

    test('a sync that cannot be started does not block later ones', async () => {
      const owner = await app.people.owner('its-log-is-closed');
      const [stuck, later] = [await make('Stuck', owner), await make('Later')];
      const now = inTwoYears();
      const { records } = app.people;
      await records.transact(async (tx) => {
        await new Audit(records).close(tx, owner.account);
        const earlier = { schedule_at: now - 366 * 24 * hourMs };
        await tx.updateTable('ehrs').set(earlier).where('id', '=', stuck.id).execute();
      });
      await process().begin(now);
      assert.equal((await syncsOf(later)).length, 1);
      assert.deepEqual(await syncsOf(stuck), []);
    });

    test('a schedule continues after a fast clock is set back, also over a restart, and starts nothing for that', async () => {
      const ehr = await make('Set back');
      const next = async () => Date.parse((await ehr.ask('GET', '')).body.schedule.next);
      const planned = await next();
      const ahead = { schedule_at: planned + 5 * 366 * 24 * hourMs };
      const { records } = app.people;
      const setAhead = () =>
        records.transact((tx) => tx.updateTable('ehrs').set(ahead).where('id', '=', ehr.id).execute());
      await setAhead();
      const one = process();
      await one.begin();
      assert.equal(await next(), planned);
      await setAhead();
      await one.begin(Date.now() + 60_000);
      assert.equal(await next(), ahead.schedule_at);
      await one.begin(Date.now() - hourMs);
      assert.equal(await next(), planned);
      assert.deepEqual(await syncsOf(ehr), []);
    });

    test('a schedule ends with the project that it fills', async () => {
      const ehr = await make('Ended');
      assert.equal((await app.call('DELETE', `/v1/projects/${ehr.project}?force=true`)).status, 204);
      await process().begin(inTwoYears());
      assert.equal((await ehr.ask('GET', '')).body.schedule, undefined);
      assert.deepEqual(await syncsOf(ehr), []);
    });
  },
  ehrSettings,
);
