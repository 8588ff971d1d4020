import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';

describeApp(
  'uploads in parts',
  (app) => {
    let project: string;

    before(async () => {
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Parts' } })).body.id;
    });

    const begin = async (body: object): Promise<{ id: string; uploadId: string }> => {
      const reply = await app.call('POST', '/v1/uploads', { body: { datasetId: project, ...body } });
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    const address = (uploadId: string, part: number | string, key?: string) =>
      app.call('GET', `/v1/uploads/${uploadId}/parts/${part}`, key ? { key } : {});
    const put = (url: string, bytes: string | Uint8Array, headers: Record<string, string> = {}) =>
      fetch(url, { method: 'PUT', body: bytes as never, headers });
    const send = async (uploadId: string, part: number, bytes: string | Uint8Array): Promise<string> => {
      const url: string = (await address(uploadId, part)).body.uploadUrl;
      const sent = await put(url, bytes);
      assert.equal(sent.status, 200, await sent.text());
      return url;
    };
    const complete = (uploadId: string, key?: string) =>
      app.call('DELETE', `/v1/uploads/${uploadId}`, key ? { key } : {});
    const read = (id: string) => app.call('GET', `/v1/files/${id}`);
    const md5 = (text: string) => createHash('md5').update(text).digest('base64');

    /** Lists the keys of the blobs of an upload's parts. */
    const partKeys = async (uploadId: string): Promise<string[]> => {
      const { read: records } = app.people.records;
      const rows = await records
        .selectFrom('upload_parts')
        .selectAll()
        .where('upload_id', '=', uploadId)
        .execute();
      return rows.map((row) => row.blob_key);
    };
    const onDisk = (key: string) => existsSync(join(app.folder, 'blobs', key.slice(0, 2), key));

    test('parts sent concurrently in any order are joined by number', async () => {
      const { id, uploadId } = await begin({ name: 'big.bin', contentType: 'text/plain' });
      const parts = new Map([2, 10_000, 1, 17].map((number) => [number, randomBytes(200_000)]));
      await Promise.all([...parts].map(([number, bytes]) => send(uploadId, number, bytes)));
      assert.equal((await read(id)).status, 404);
      const { body } = await app.call('GET', `/v1/files?datasetId=${project}&name=big`);
      assert.deepEqual(body.items, []);
      const keys = await partKeys(uploadId);
      const done = await complete(uploadId);
      assert.deepEqual([done.status, done.text], [204, '']);
      const whole = Buffer.concat([1, 2, 17, 10_000].map((number) => parts.get(number) ?? Buffer.alloc(0)));
      const url = `${app.address}/v1/files/${id}`;
      const headers = { authorization: app.key, 'service-account': app.account };
      const reply = await fetch(url, { headers });
      assert.equal(reply.headers.get('content-type'), 'text/plain');
      assert.ok(Buffer.from(await reply.arrayBuffer()).equals(whole));
      assert.equal(keys.length, 4);
      assert.deepEqual(keys.filter(onDisk), [], 'the parts are gone');
      assert.deepEqual(await partKeys(uploadId), []);
    });

    test('a part sent again replaces the earlier one and its blob', async () => {
      const { id, uploadId } = await begin({ name: 'again.txt' });
      const url = await send(uploadId, 1, 'one');
      const [first = ''] = await partKeys(uploadId);
      assert.equal((await put(url, 'two')).status, 200);
      assert.equal(onDisk(first), false);
      await send(uploadId, 2, '!');
      assert.equal((await complete(uploadId)).status, 204);
      assert.equal((await read(id)).text, 'two!');
    });

    test('completing again changes nothing, also concurrently', async () => {
      const { id, uploadId } = await begin({ name: 'twice.txt' });
      const url = await send(uploadId, 1, 'bytes');
      const replies = await Promise.all(Array.from({ length: 5 }, () => complete(uploadId)));
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([204]));
      const creator = await app.people.member(app.account, ['createData']);
      assert.equal((await complete(uploadId, creator.key)).status, 204);
      assert.equal((await address(uploadId, 2)).body.code, 'UPLOAD_COMPLETE');
      assert.equal((await put(url, 'other')).status, 409);
      assert.equal((await read(id)).text, 'bytes');
      await app.call('DELETE', `/v1/files/${id}`);
      assert.equal((await complete(uploadId)).status, 204);
      assert.equal((await read(id)).status, 404, 'a deleted file does not come back');
    });

    test('an upload without parts is 409; an empty file has one empty part', async () => {
      const { id, uploadId } = await begin({ name: 'empty.txt', size: 0 });
      assert.deepEqual(
        [(await complete(uploadId)).body.code, (await read(id)).status],
        ['UPLOAD_EMPTY', 404],
      );
      await send(uploadId, 3, '');
      assert.equal((await complete(uploadId)).status, 204);
      assert.deepEqual([(await read(id)).status, (await read(id)).text], [200, '']);
    });

    test('an overwrite shows the old bytes until the parts are joined, and a taken name is 409', async () => {
      const id = await app.put(project, 'replace.txt', 'old');
      const body = { name: 'replace.txt', datasetId: project };
      assert.equal((await app.call('POST', '/v1/uploads', { body })).status, 409);
      const begun = await begin({ name: 'replace.txt', overwrite: true });
      assert.equal(begun.id, id);
      await send(begun.uploadId, 1, 'new');
      assert.equal((await read(id)).text, 'old');
      assert.equal((await complete(begun.uploadId)).status, 204);
      assert.equal((await read(id)).text, 'new');

      const late = await begin({ name: 'late.txt' });
      await send(late.uploadId, 1, 'late');
      const taken = await app.put(project, 'late.txt', 'first');
      assert.equal((await complete(late.uploadId)).status, 409);
      assert.equal((await read(taken)).text, 'first');
      await app.call('PATCH', `/v1/files/${taken}`, { body: { name: 'out-of-the-way.txt' } });
      assert.equal((await complete(late.uploadId)).status, 204, 'the parts were kept');
    });

    test('a promised size or MD5 of the whole or of a part is enforced', async () => {
      const { id, uploadId } = await begin({ name: 'sums.txt', size: 6, contentMD5: md5('abcdef') });
      const url = await send(uploadId, 1, 'abc');
      assert.equal((await put(url, 'abd', { 'content-md5': md5('abc') })).status, 400);
      assert.equal((await put(url, 'longer than all')).status, 413);
      assert.equal((await complete(uploadId)).body.code, 'SIZE_MISMATCH');
      await send(uploadId, 2, 'dxf');
      assert.equal((await complete(uploadId)).body.code, 'DIGEST_MISMATCH');
      assert.equal((await read(id)).status, 404);
      await send(uploadId, 2, 'def');
      assert.equal((await complete(uploadId)).status, 204);
      assert.equal((await read(id)).text, 'abcdef');
    });

    // asvs: 5.2.1
    test('all parts together may not exceed the maximum file size', async () => {
      const { uploadId } = await begin({ name: 'too-large.bin' });
      const url = await send(uploadId, 1, Buffer.alloc(900_000));
      const second = (await address(uploadId, 2)).body.uploadUrl;
      const refused = await put(second, Buffer.alloc(200_000));
      assert.deepEqual(
        [refused.status, ((await refused.json()) as { code: string }).code],
        [413, 'TOO_LARGE'],
      );
      assert.equal((await put(url, Buffer.alloc(800_000))).status, 200);
      assert.equal((await put(second, Buffer.alloc(200_000))).status, 200);
      assert.equal((await put(second, Buffer.alloc(2_000_000))).status, 413);
      assert.equal((await complete(uploadId)).status, 204);
    });

    test('continuing an upload needs the right that starting it needed', async () => {
      const fresh = await begin({ name: 'rights.txt' });
      const id = await app.put(project, 'rights-old.txt', 'old');
      const over = await begin({ id, name: 'rights-old.txt' });
      await send(over.uploadId, 1, 'new');
      const creator = await app.people.member(app.account, ['createData']);
      const updater = await app.people.member(app.account, ['updateData']);
      assert.equal((await address(fresh.uploadId, 1, creator.key)).status, 200);
      assert.equal((await address(fresh.uploadId, 1, updater.key)).status, 403);
      assert.equal((await complete(over.uploadId, creator.key)).status, 403);
      assert.equal((await complete(over.uploadId, updater.key)).status, 204);
      for (const part of [0, 10_001, -1, '1.5', 'x'])
        assert.equal((await address(fresh.uploadId, part)).status, 400);
    });

    test('a caller without the right to overwrite is refused, also when the name is taken after the start', async () => {
      const creator = await app.people.member(app.account, ['createData']);
      const body = { name: 'raced.txt', datasetId: project, overwrite: true };
      const begun = await app.call('POST', '/v1/files', { key: creator.key, body });
      const id = await app.put(project, 'raced.txt', 'first');
      assert.equal((await put(begun.body.uploadUrl, 'second')).status, 409);
      assert.equal((await read(id)).text, 'first');
    });

    test('the address of a part is valid for that part only', async () => {
      const { uploadId } = await begin({ name: 'signed.txt' });
      const url = new URL((await address(uploadId, 1)).body.uploadUrl);
      for (const path of [url.pathname.replace(/1$/, '2'), url.pathname.replace(/\/parts\/1$/, '')]) {
        assert.equal((await put(`${url.origin}${path}${url.search}`, 'x')).status, 403);
      }
      const whole = await app.call('POST', '/v1/files', { body: { name: 'whole.txt', datasetId: project } });
      const uploadUrl = new URL(whole.body.uploadUrl);
      assert.equal(
        (await put(`${uploadUrl.origin}${uploadUrl.pathname}/parts/1${uploadUrl.search}`, 'x')).status,
        403,
      );
      const single = uploadUrl.pathname.split('/').at(-1) ?? '';
      assert.equal((await address(single, 1)).status, 404, 'an upload in one piece has no parts');
    });

    test('an upload in parts with ingest is ingested when complete', async () => {
      const { id, uploadId } = await begin({ name: 'rows.ndjson', ingest: true });
      await send(uploadId, 1, '{"resourceType":"Patient",');
      await send(uploadId, 2, '"id":"p"}\n');
      assert.equal((await complete(uploadId)).status, 204);
      const { body } = await app.call('GET', `/v1/ingestions?datasetId=${project}`);
      assert.equal(body.items[0].fileId, id);
    });

    test('identical bytes joined from parts with ingest are ingested', async () => {
      const text = '{"resourceType":"Patient","id":"same"}\n';
      const id = await app.put(project, 'same.ndjson', text);
      const { uploadId } = await begin({ name: 'same.ndjson', overwrite: true, ingest: true });
      await send(uploadId, 1, text);
      assert.deepEqual([(await complete(uploadId)).status, (await complete(uploadId)).status], [204, 204]);
      const { body } = await app.call('GET', `/v1/ingestions?datasetId=${project}`);
      const fileIds = body.items.map((one: { fileId: string }) => one.fileId);
      assert.equal(fileIds.filter((one: string) => one === id).length, 1);
    });

    test('a removed project removes its parts and accepts no more', async () => {
      const { body } = await app.call('POST', '/v1/projects', { body: { name: 'Short-lived' } });
      const { uploadId } = await begin({ name: 'gone.bin', datasetId: body.id });
      const url = await send(uploadId, 1, 'part');
      const [key = ''] = await partKeys(uploadId);
      assert.equal((await app.call('DELETE', `/v1/projects/${body.id}?force=true`)).status, 204);
      for (const reply of [await put(url, 'late'), await address(uploadId, 1), await complete(uploadId)]) {
        assert.equal(reply.status, 404);
      }
      await until(async () => !onDisk(key) && (await partKeys(uploadId)).length === 0, 'the parts are gone');
    });

    test('no scratch file is left', async () => {
      const scratch = join(app.folder, 'blobs', 'scratch');
      await until(() => readdirSync(scratch).length === 0, 'the ingestion ends and nothing is left');
    });
  },
  { PLOIDY_FILE_MAX: '1000000' },
);
