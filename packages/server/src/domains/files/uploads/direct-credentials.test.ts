/** Addresses of files in a store that clients reach themselves, after their credential has ended. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { startS3 } from '../../../../../../test/support/s3/server.ts';

const s3 = await startS3();
after(() => s3.close());

describeApp(
  'transfers with the store after the end of their key',
  (app) => {
    let project: string;

    before(async () => {
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Direct' } })).body.id;
    });
    // The next service has records of its own and refuses a store with content.
    after(() => s3.bucket.objects.clear());

    const newKey = async () => {
      const made = await app.call('POST', '/v1/api-keys', { body: { name: 'Direct', expireInDays: 1 } });
      const { id, key } = made.body as { id: string; key: string };
      const revoke = async () => assert.equal((await app.call('DELETE', `/v1/api-keys/${id}`)).status, 204);
      return { key, revoke };
    };
    const put = async (url: string, body: string) =>
      assert.equal((await fetch(url, { method: 'PUT', body })).status, 200);

    test('a download is checked at each request, and sent on to an address that lasts a minute', async () => {
      const file = await app.put(project, 'down.txt', 'bytes');
      const { key, revoke } = await newKey();
      const { downloadUrl } = (await app.call('GET', `/v1/files/${file}?include=downloadUrl`, { key })).body;
      assert.equal(await (await fetch(downloadUrl)).text(), 'bytes');
      const sentOn = await fetch(downloadUrl, { redirect: 'manual' });
      const location = new URL(sentOn.headers.get('location') ?? '');
      assert.equal(sentOn.status, 302);
      assert.ok(!location.href.startsWith(app.address), location.href);
      assert.ok(Number(location.searchParams.get('X-Amz-Expires')) <= 60, location.href);
      await revoke();
      assert.equal((await fetch(downloadUrl)).status, 403);
    });

    test('a request with conditions is answered here: the ETag is ours', async () => {
      const file = await app.put(project, 'known.txt', 'known');
      const { downloadUrl } = (await app.call('GET', `/v1/files/${file}?include=downloadUrl`)).body;
      const etag = (await fetch(downloadUrl, { method: 'HEAD' })).headers.get('etag') ?? '';
      assert.match(etag, /^"[0-9a-f]{64}"$/);
      const statusWith = async (headers: Record<string, string>) =>
        (await fetch(downloadUrl, { headers, redirect: 'manual' })).status;
      assert.equal(await statusWith({ 'if-none-match': etag }), 304);
      assert.equal(await statusWith({ 'if-match': etag }), 200);
      assert.equal(await statusWith({ 'if-range': etag, range: 'bytes=1-2' }), 206);
    });

    test('bytes put to the store after the end become no file', async () => {
      const { key, revoke } = await newKey();
      const body = { name: 'planted.txt', datasetId: project };
      const { id, uploadUrl } = (await app.call('POST', '/v1/files', { key, body })).body;
      await revoke();
      await put(uploadUrl, 'planted');
      assert.equal((await app.call('GET', `/v1/files/${id}`)).status, 404);
      const events = app.people.records.read.selectFrom('audit_events').where('resource_id', '=', id);
      const { outcome, details } = await events
        .selectAll()
        .where('action', '=', 'files.upload')
        .executeTakeFirstOrThrow();
      assert.deepEqual([outcome, JSON.parse(details)], ['refused', { code: 'CREDENTIAL_ENDED' }]);
    });

    test('an upload that an earlier version began ends with the right of its user', async () => {
      const sender = await app.people.member(app.account, ['createData', 'readData']);
      const begin = async (name: string) => {
        const body = { name, datasetId: project };
        return (await app.call('POST', '/v1/files', { key: sender.key, body })).body;
      };
      const [before, late] = [await begin('before.txt'), await begin('late.txt')];
      await app.people.records.transact((tx) => tx.updateTable('uploads').set({ via: null }).execute());
      await put(before.uploadUrl, 'bytes');
      assert.equal((await app.call('GET', `/v1/files/${before.id}`)).text, 'bytes');
      await app.people.withdraw(sender);
      await put(late.uploadUrl, 'planted');
      assert.equal((await app.call('GET', `/v1/files/${late.id}`)).status, 404);
    });

    test('a part put to the store after the end is refused when the parts are joined', async () => {
      const { key, revoke } = await newKey();
      const begun = await app.call('POST', '/v1/uploads', {
        body: { name: 'parts.txt', datasetId: project },
      });
      const { uploadId, id } = begun.body;
      const path = `/v1/uploads/${uploadId}`;
      const address = async (number: number, as = app.key) =>
        (await app.call('GET', `${path}/parts/${number}`, { key: as })).body.uploadUrl;
      await put(await address(1), 'one ');
      const [late, tooMany] = [await address(2, key), await address(3, key)];
      await revoke();
      await put(late, 'planted');
      const refused = await app.call('DELETE', path);
      assert.deepEqual([refused.status, refused.body.code], [409, 'PART_ENDED']);
      assert.match(refused.body.error, /^Part 2 /);
      // The store orders parts by whole seconds.
      s3.bucket.objects.forEach((object) => {
        object.modifiedAt -= 1000;
      });
      await put(await address(2), 'two');
      s3.bucket.objects.forEach((object) => {
        object.modifiedAt -= 1000;
      });
      await put(late, 'planted again');
      await put(tooMany, 'planted behind');
      assert.match((await app.call('DELETE', path)).body.error, /^Part 3 .* removed/);
      assert.equal((await app.call('DELETE', path)).status, 204);
      assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'one two');
    });
  },
  s3.settings,
);
