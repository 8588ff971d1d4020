import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { HeldRemovals } from '../../../../../../test/support/held-removals.ts';
import { silent } from '../../../../../../test/support/records.ts';
import { startS3 } from '../../../../../../test/support/s3/server.ts';
import { until } from '../../../../../../test/support/until.ts';
import { newId } from '../../../base/ids.ts';
import { storageUnavailable } from '../../../base/problem.ts';
import type { Blobs, DirectTransfers } from '../../../platform/blobs/index.ts';
import { openS3 } from '../../../platform/blobs/stores.fixture.ts';
import { Audit } from '../../audit/index.ts';
import { keyHolders } from '../../authentication/credentials/holders.fixture.ts';
import { Callers } from '../../identity/callers/index.ts';
import { Files } from '../files.ts';
import { DirectUploads } from './direct-uploads.ts';
import { UploadRights } from './upload-rights.ts';
import { Uploads } from './uploads.ts';

const s3 = await startS3();
const root = mkdtempSync(join(tmpdir(), 'ploidy-arrivals-'));
after(async () => {
  await s3.close();
  rmSync(root, { recursive: true, force: true });
});

describeApp(
  'bytes that arrived in the store',
  (app) => {
    let project: string;
    const opened: Blobs[] = [];

    before(async () => {
      project = (await app.call('POST', '/v1/projects', { body: { name: 'DirectUploads' } })).body.id;
    });
    after(async () => {
      for (const blobs of opened) await blobs.close();
      // The next service has records of its own and refuses a store with content.
      s3.bucket.objects.clear();
    });

    /** Runs a second process that looks for arrivals beside the service. */
    const another = async (lateMs: number, change: Partial<DirectTransfers> = {}): Promise<DirectUploads> => {
      const { records } = app.people;
      const blobs = await openS3(mkdtempSync(join(root, 'process-')), s3.settings, records);
      opened.push(blobs);
      const audit = new Audit(records);
      const deps = {
        records,
        blobs,
        audit,
        listeners: {
          deleted: [],
          overwritten: [],
          ingest: [],
          promised: [],
          coversResult: async () => false,
          uncoveredResults: async () => [],
          moving: [],
          rowsChange: [],
          followers: [],
        },
      };
      const rights = new UploadRights(records, new Callers(records), keyHolders(app.app.core));
      const uploads = new Uploads(deps, rights, { lifeMs: { whole: 1, parts: 1 }, sizeMax: 1e9, lateMs });
      const direct = Object.assign(blobs.direct as DirectTransfers, change);
      return new DirectUploads(deps, direct, uploads, silent as never);
    };
    const begin = async (name: string) => {
      const made = await app.call('POST', '/v1/files', { body: { name, datasetId: project } });
      return made.body as { id: string; uploadUrl: string };
    };
    const send = async (url: string, body: string) =>
      assert.equal((await fetch(url, { method: 'PUT', body })).status, 200);
    const eventsOf = async (id: string) => {
      const events = app.people.records.read.selectFrom('audit_events').select(['action', 'outcome']);
      return (await events.where('resource_id', '=', id).orderBy('sequence').execute()).map(
        ({ action, outcome }) => `${action} ${outcome}`,
      );
    };
    const objects = (folder: string) => [...s3.bucket.objects.keys()].filter((key) => key.includes(folder));

    test('concurrent processes adopt the same bytes once and leave no blob over', async () => {
      const { id, uploadUrl } = await begin('raced.txt');
      const held = objects('/blobs/').length;
      await send(uploadUrl, 'bytes');
      const [one, two] = [await another(1e9), await another(1e9)];
      const looks = [one, two, one].map((process) => process.notice({ file: id }));
      await Promise.all([...looks, app.call('GET', `/v1/files/${id}`)]);
      assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'bytes');
      assert.deepEqual(
        (await eventsOf(id)).filter((event) => event !== 'files.read done'),
        ['files.create done', 'files.upload done'],
      );
      assert.equal(objects('/blobs/').length, held + 1);
    });

    test('the periodic check adopts many arrivals of a project, page after page', async () => {
      const begun = await Promise.all(Array.from({ length: 30 }, (_, index) => begin(`many/${index}.txt`)));
      await Promise.all(begun.map(({ id, uploadUrl }) => send(uploadUrl, id)));
      await (await another(1e9)).noticeAll();
      const rows = await app.people.records.read
        .selectFrom('files')
        .select('id')
        .where('name', 'like', 'many/%')
        .execute();
      assert.deepEqual(rows.map((row) => row.id).sort(), begun.map(({ id }) => id).sort());
    });

    test('a file just sent is 503 while the store does not answer, and others are absent', async () => {
      const { id, uploadUrl } = await begin('away.txt');
      await send(uploadUrl, 'bytes');
      const arrival = () => Promise.reject(storageUnavailable(new Error('away')));
      const { records } = app.people;
      const files = new Files({ records } as never, await another(1e9, { arrival }));
      await assert.rejects(files.find(id), { status: 503, code: 'STORAGE_UNAVAILABLE' });
      assert.equal(await files.find(newId()), undefined);
      assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'bytes');
      assert.equal((await files.find(id))?.id, id);
    });

    test('a sweep keeps recent bytes, and removes expired uploads with their bytes', async () => {
      const { id, uploadUrl } = await begin('last-moment.txt');
      const unkept = await begin('unkept.txt');
      await send(uploadUrl, 'bytes');
      const { records } = app.people;
      await records.transact((tx) =>
        tx
          .updateTable('uploads')
          .set({ expires_at: Date.now() - 1000 })
          .execute(),
      );
      const process = await another(60_000);
      await process.sweep();
      assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'bytes');
      assert.ok(objects('/incoming/').length > 0);
      await (await another(0)).sweep();
      assert.deepEqual(objects('/incoming/'), []);
      assert.deepEqual(await records.read.selectFrom('uploads').selectAll().execute(), []);
      assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'bytes');
      assert.equal((await app.call('GET', `/v1/files/${unkept.id}`)).status, 404);
    });

    test('bytes for an account being removed do not block those of other accounts', async () => {
      const { key } = await app.people.owner('leaving');
      const theirs = { key, account: 'leaving' };
      const made = await app.call('POST', '/v1/projects', { ...theirs, body: { name: 'Leaving' } });
      const body = { name: 'late.txt', datasetId: made.body.id };
      const late = (await app.call('POST', '/v1/files', { ...theirs, body })).body;
      const { id, uploadUrl } = await begin('stays.txt');
      const held = new HeldRemovals(app.people.records);
      await held.begin('account', 'leaving');
      for (const url of [late.uploadUrl, uploadUrl]) await send(url, 'bytes');
      const process = await another(1e9);
      await process.noticeAll();
      await process.notice({ file: late.id });
      assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'bytes');
      assert.deepEqual(await eventsOf(late.id), ['files.create done'], 'its log is closed');
      await held.letGo();
      const promises = app.people.records.read.selectFrom('uploads').select('id');
      await until(
        async () => (await promises.where('account_id', '=', 'leaving').execute()).length === 0,
        'the promise goes with the account',
      );
      await process.sweep();
      assert.deepEqual(
        objects('/incoming/').filter((key) => key.includes(made.body.id)),
        [],
      );
    });

    test('bytes in the store without an upload are removed', async () => {
      const { uploadUrl } = await begin('orphan.txt');
      await send(uploadUrl, 'bytes');
      await app.people.records.transact((tx) => tx.deleteFrom('uploads').execute());
      await (await another(1e9)).sweep();
      assert.deepEqual(objects('/incoming/'), []);
    });
  },
  s3.settings,
);
