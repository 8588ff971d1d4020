import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeOnPostgres } from '../../../../../../test/support/app.ts';
import { smallResources } from '../../../../../../test/support/fhir/sample-resources.ts';
import { EhrProject, ehrSettings } from '../ehr-project.fixture.ts';
import { pruneSyncs } from './prune-syncs.ts';

describeOnPostgres(
  'records of syncs',
  (app) => {
    const made: EhrProject[] = [];
    const make = async (name: string) => {
      const resources = smallResources(2, 0, name.toLowerCase());
      const ehr = await EhrProject.make(app.call, name, { resources });
      made.push(ehr);
      return ehr;
    };
    const idsOf = async (ehr: EhrProject): Promise<string[]> =>
      (await ehr.ask('GET', '/syncs?pageSize=100')).body.items.map(({ id }: { id: string }) => id);
    const prune = (kept: number) => pruneSyncs(app.people.records, undefined, kept);
    after(() => Promise.all(made.map(({ server }) => server.stop())));

    test('pruning keeps the newest syncs and those that the next one depends on', async () => {
      const ehr = await make('Many');
      const few = await make('Few');
      await few.pull();
      await few.pull();
      const full = await ehr.pull();
      const [first] = ehr.server.resources;
      assert.ok(first);
      const { lastUpdated } = first.meta;
      first.meta.lastUpdated = new Date().toISOString();
      const more = await ehr.pull();
      assert.ok(full.fileId && more.fileId);
      first.meta.lastUpdated = lastUpdated;
      await ehr.pull();
      ehr.server.fail(/metadata/, { status: 404 });
      assert.equal((await ehr.end(await ehr.begin())).state, 'failed');
      const newest = [await ehr.pull(), await ehr.pull()];
      assert.equal(newest[0]?.fileId, undefined);
      await prune(2);
      assert.deepEqual(await idsOf(ehr), [newest[1]?.id, newest[0]?.id, more.id, full.id]);
      assert.equal((await idsOf(few)).length, 2);
      const next = await ehr.pull();
      assert.ok(next.since && newest[1]?.started && next.since < newest[1].started);
      // The deletion of its file is still known.
      assert.equal((await app.call('DELETE', `/v1/files/${more.fileId}`)).status, 204);
      const again = await ehr.pull();
      assert.equal(again.since, undefined);
      await prune(1);
      assert.deepEqual(await idsOf(ehr), [again.id]);
      assert.ok((await ehr.pull()).since);
    });

    test('records of syncs with files stay until the next full sync', async () => {
      const ehr = await make('Steady');
      const [first] = ehr.server.resources;
      assert.ok(first);
      const ids = [(await ehr.pull()).id];
      for (let times = 0; times < 3; times += 1) {
        first.meta.lastUpdated = new Date().toISOString();
        ids.unshift((await ehr.pull()).id);
      }
      await prune(1);
      assert.deepEqual(await idsOf(ehr), ids);
      const full = await ehr.pull({ full: true });
      await prune(1);
      assert.deepEqual(await idsOf(ehr), [full.id]);
    });

    test('pruning ends when the service stops', async () => {
      const ehr = await make('Stopped');
      const ids = [(await ehr.pull({ full: true })).id, (await ehr.pull({ full: true })).id];
      const stopped = AbortSignal.abort(new Error('the service ends'));
      await assert.rejects(pruneSyncs(app.people.records, stopped, 1), /the service ends/);
      assert.deepEqual(await idsOf(ehr), ids.toReversed());
    });

    test('a sync that has not ended stays, however many are newer', async () => {
      const ehr = await make('Open');
      await ehr.pull();
      ehr.server.fail(/metadata/, 'silence');
      const running = await ehr.begin();
      const other = await app.call('POST', '/v1/projects', { body: { name: 'Waiting' } });
      const waiting = await ehr.begin({ datasetId: other.body.id });
      await prune(1);
      assert.deepEqual((await idsOf(ehr)).slice(0, 2), [waiting, running]);
      for (const id of [waiting, running])
        assert.equal((await ehr.ask('DELETE', `/syncs/${id}`)).status, 204);
    });
  },
  ehrSettings,
);
