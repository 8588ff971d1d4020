import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { interposed } from '../../../../../test/support/interposed.ts';
import type { Caller } from '../../access/caller.ts';
import { diskBlobs } from '../../platform/blobs/index.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import { Audit } from '../audit/index.ts';
import type { FileDeps } from './file-deps.ts';
import { Files } from './files.ts';
import type { ChangeBy } from './update-file.ts';
import { PartedUploads } from './uploads/parted-uploads.ts';
import type { UploadRights } from './uploads/upload-rights.ts';
import { Uploads } from './uploads/uploads.ts';

describeApp('files that change between the check and the transaction', (app) => {
  let project: string;
  let elsewhere: string;
  let deps: FileDeps;
  let by: ChangeBy;
  const rights = { require: async () => undefined, hold: async () => undefined } as unknown as UploadRights;
  const sizeMax = 1000;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Here' } })).body.id;
    elsewhere = (await app.call('POST', '/v1/projects', { body: { name: 'There' } })).body.id;
    const { records } = app.people;
    const blobs = diskBlobs({ folder: join(app.folder, 'blobs'), records: app.people.records });
    const listeners = {
      deleted: [],
      overwritten: [],
      ingest: [],
      promised: [],
      coversResult: async () => false,
      uncoveredResults: async () => [],
      moving: [],
      rowsChange: [],
      followers: [],
    };
    deps = { records, blobs, audit: new Audit(records), listeners };
    const userId = (await app.call('GET', '/v1/user')).body.id;
    by = {
      caller: { userId, via: 'test', may: () => true } as unknown as Caller,
      requestId: 'r',
      conditions: {},
    };
  });

  const locate = async (id: string): Promise<FilesTable> => {
    const located = await new Files(deps).locate(id);
    assert.ok(located);
    return located.record;
  };
  const move = async (id: string) => {
    const moved = await app.call('PATCH', `/v1/files/${id}`, { body: { datasetId: elsewhere } });
    assert.equal(moved.status, 200, moved.text);
  };
  const remove = async (id: string) =>
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
  const textOf = async (id: string) => (await app.call('GET', `/v1/files/${id}`)).text;
  const statusOf = async (id: string) => (await app.call('GET', `/v1/files/${id}`)).status;
  const beginAs = async (path: string, body: object): Promise<{ id: string; upload: UploadsTable }> => {
    const begun = await app.call('POST', path, { body: { datasetId: project, ...body } });
    assert.equal(begun.status, 200, begun.text);
    const { id } = begun.body;
    const ofFile = app.people.records.read.selectFrom('uploads').selectAll().where('file_id', '=', id);
    return { id, upload: await ofFile.orderBy('id', 'desc').executeTakeFirstOrThrow() };
  };
  /** Makes a body during which a change happens. */
  const bodyDuring = (change: () => Promise<void>) => {
    const stream = Readable.from(
      (async function* () {
        yield Buffer.from('half ');
        await change();
        yield Buffer.from('whole');
      })(),
    );
    return { stream, md5: undefined, signal: new AbortController().signal, via: 'test' };
  };

  test('a file moved before its deletion stays in the new project, and the deletion is 409', async () => {
    const id = await app.put(project, 'moved.txt', 'kept');
    const located = await locate(id);
    await move(id);
    await assert.rejects(new Files(deps).delete(located, false, by), { status: 409, code: 'FILE_CHANGING' });
    assert.equal(await textOf(id), 'kept');
    await new Files(deps).delete(await locate(id), false, by);
    assert.equal(await statusOf(id), 404);
  });

  test('a file recreated under the same id by another user is neither changed nor deleted', async () => {
    const member = await app.people.member(app.account, ['createData']);
    const id = await app.put(project, 'anew.txt', 'first');
    const located = await locate(id);
    await remove(id);
    const body = { id, name: 'anew.txt', datasetId: project };
    const begun = await app.call('POST', '/v1/files', { key: member.key, body });
    assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'second' })).status, 200);
    const files = new Files(deps);
    const refused = { status: 409, code: 'FILE_CHANGING' };
    await assert.rejects(files.delete(located, false, by), refused);
    await assert.rejects(files.update(located, { name: 'x.txt' }, by), refused);
    assert.equal(await textOf(id), 'second');
  });

  test('bytes in transit while their file is moved and deleted do not recreate it', async () => {
    const id = await app.put(project, 'gone.txt', 'old');
    const { upload } = await beginAs('/v1/files', { id, name: 'gone.txt' });
    const limits = { lifeMs: { whole: 1, parts: 1 }, sizeMax, lateMs: 0 };
    const body = bodyDuring(async () => {
      await move(id);
      await remove(id);
    });
    await assert.rejects(new Uploads(deps, rights, limits).receive(upload, body), { status: 404 });
    assert.equal(await statusOf(id), 404);
  });

  const blobsDuringJoin = (change: () => Promise<void>) => interposed(deps.blobs, 'after', 'join', change);
  const parted = (blobs = deps.blobs) => new PartedUploads({ ...deps, blobs }, rights, { sizeMax });
  const sendPart = async (upload: UploadsTable, text: string): Promise<void> => {
    const stream = Readable.from([Buffer.from(text)]);
    const signal = new AbortController().signal;
    await parted().receive(upload, 1, { stream, md5: undefined, signal, via: 'test' });
  };

  test('a part sent again while the parts are joined counts', async () => {
    const { id, upload } = await beginAs('/v1/uploads', { name: 'again.txt' });
    await sendPart(upload, 'first');
    const blobs = blobsDuringJoin(() => sendPart(upload, 'second'));
    await parted(blobs).complete(upload, by);
    assert.equal(await textOf(id), 'second');
  });

  test('parts joined while their file is moved and deleted do not recreate it', async () => {
    const id = await app.put(project, 'joined.txt', 'old');
    const { upload } = await beginAs('/v1/uploads', { id, name: 'joined.txt' });
    await sendPart(upload, 'new');
    const blobs = blobsDuringJoin(async () => {
      await move(id);
      await remove(id);
    });
    await assert.rejects(parted(blobs).complete(upload, by), { status: 404 });
    assert.equal(await statusOf(id), 404);
  });

  test('a part in transit while its file is moved is not kept', async () => {
    const id = await app.put(project, 'part.txt', 'old');
    const { upload } = await beginAs('/v1/uploads', { id, name: 'part.txt' });
    await assert.rejects(
      parted().receive(
        upload,
        1,
        bodyDuring(() => move(id)),
      ),
      { status: 404 },
    );
    const kept = app.people.records.read.selectFrom('upload_parts').select('number');
    assert.deepEqual(await kept.where('upload_id', '=', upload.id).execute(), []);
    assert.equal(await textOf(id), 'old');
  });
});
