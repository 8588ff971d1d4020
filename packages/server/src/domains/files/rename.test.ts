import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../test/support/app.ts';
import type { Engine } from '../../../../engine/src/index.ts';
import { diskBlobs } from '../../platform/blobs/index.ts';
import type { Records } from '../../platform/records/index.ts';
import { Audit } from '../audit/index.ts';
import { type AnnotationWork, followingRows } from '../lake/index.ts';
import { type ChangeBy, updateFile } from './update-file.ts';

describeApp('renaming and moving files', (app) => {
  let project: string;
  let elsewhere: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Renaming' } })).body.id;
    elsewhere = (await app.call('POST', '/v1/projects', { body: { name: 'Elsewhere' } })).body.id;
  });

  const change = (id: string, body: object, key?: string) =>
    app.call('PATCH', `/v1/files/${id}`, { ...(key && { key }), body });
  const names = async (datasetId: string, name: string): Promise<string[]> => {
    const { body } = await app.call('GET', `/v1/files?datasetId=${datasetId}&name=${name}&pageSize=1000`);
    return body.items.map((item: { name: string }) => item.name);
  };

  test('a renamed file keeps its id, its bytes and its date', async () => {
    const id = await app.put(project, 'a.txt', 'bytes');
    const before = (await app.call('GET', `/v1/files/${id}?include=metadata`)).body;
    const reply = await change(id, { name: 'in/b.txt' });
    assert.deepEqual(reply.body, { ...before, name: 'in/b.txt' });
    const read = await app.call('GET', `/v1/files/${id}`);
    assert.equal(read.text, 'bytes');
    assert.match(read.headers.get('content-disposition') ?? '', /filename="b\.txt"/);
    assert.deepEqual([await names(project, 'a.txt'), await names(project, 'IN/')], [[], ['in/b.txt']]);
    await app.put(project, 'a.txt', 'the old name is free');
  });

  test('a move whose commit got no response loses no rows', async () => {
    const from = await TestProject.make(app.call, 'From');
    const to = await TestProject.make(app.call, 'To');
    const id = await from.take('s.vcf', vcfText('s', 3));
    const { records } = app.people;
    const silent: Records = new Proxy(records, {
      get: (target, name) => {
        if (name !== 'transact') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
        return async (work: Parameters<Records['transact']>[0]) => {
          await target.transact(work);
          throw new Error('the connection was lost');
        };
      },
    });
    const blobs = diskBlobs({ folder: join(app.folder, 'blobs'), records: app.people.records });
    const annotationWork = { request: async () => undefined } as unknown as AnnotationWork;
    const engine = {} as Engine;
    const follow = (fileId: string, project: string) =>
      followingRows({ records, blobs, engine, annotationWork }, fileId, project);
    const none = {
      deleted: [],
      overwritten: [],
      ingest: [],
      promised: [],
      coversResult: async () => false,
      uncoveredResults: async () => [],
      moving: [],
      rowsChange: [],
    };
    const listeners = { ...none, followers: [follow] };
    const parts = { records: silent, blobs, audit: new Audit(records), listeners };
    const file = await records.read
      .selectFrom('files')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const caller = { userId: file.owner_id, via: 'api-key' };
    const by = { caller, requestId: 'r', conditions: {} } as unknown as ChangeBy;
    await assert.rejects(updateFile(parts, file, { datasetId: to.id }, by), /connection was lost/);
    assert.deepEqual([await from.count('variant').catch(() => 0), await to.count('variant')], [0, 3]);
  });

  test('a taken name is 409, an unchanged name is a no-op, an invalid path is 400', async () => {
    await app.put(project, 'taken.txt', 'x');
    const id = await app.put(project, 'mine.txt', 'x');
    const taken = await change(id, { name: 'taken.txt' });
    assert.deepEqual([taken.status, taken.body.code], [409, 'FILE_EXISTS']);
    for (const body of [{ name: 'mine.txt' }, {}, { datasetId: project }]) {
      assert.deepEqual(
        [(await change(id, body)).status, (await change(id, body)).body.name],
        [200, 'mine.txt'],
      );
    }
    for (const name of ['', '../x', 'a//b', 'a/', '\u0001'])
      assert.equal((await change(id, { name })).status, 400);
    assert.equal((await change(id, { name: 'MINE.txt' })).status, 200, 'only the case differs');
  });

  test('renaming needs updateData, and is 404 without any right to the file', async () => {
    const id = await app.put(project, 'rights.txt', 'x');
    const reader = await app.people.member(app.account, ['readData', 'createData', 'deleteData']);
    assert.equal((await change(id, { name: 'r.txt' }, reader.key)).status, 403);
    const updater = await app.people.member(app.account, ['updateData']);
    assert.equal((await change(id, { name: 'r.txt' }, updater.key)).status, 200);
    const { key, account } = await app.people.owner(`strangers-${app.folder.slice(-6).toLowerCase()}`);
    const path = `/v1/files/${id}`;
    assert.equal((await app.call('PATCH', path, { key, account, body: { name: 'x' } })).status, 404);
  });

  test('a move needs updateData and readData in the source, and createData in the target', async () => {
    const on = (dataset: string) => ({ 'resource.dataset': { comparison: 'equals', value: dataset } });
    const id = await app.put(project, 'moves.txt', 'x');
    const move = (key: string) => change(id, { datasetId: elsewhere }, key);
    for (const privileges of [
      ['updateData', 'readData'],
      ['updateData', 'createData'],
      ['readData', 'createData'],
    ] as const) {
      const { key } = await app.people.member(app.account, [...privileges]);
      assert.equal((await move(key)).status, 403, privileges.join());
    }
    const here = await app.people.member(app.account, ['updateData', 'readData', 'createData'], on(project));
    assert.equal((await move(here.key)).status, 403);
    const all = await app.people.member(app.account, ['updateData', 'readData', 'createData']);
    assert.equal((await move(all.key)).status, 200);
    assert.deepEqual([await names(project, 'moves'), await names(elsewhere, 'moves')], [[], ['moves.txt']]);
  });

  test('a target project that is unknown or of another account is 404; a name taken there is 409', async () => {
    const id = await app.put(project, 'stays.txt', 'x');
    const other = await app.people.owner(`others-${app.folder.slice(-6).toLowerCase()}`);
    const foreign = await app.call('POST', '/v1/projects', { ...other, body: { name: 'Foreign' } });
    assert.equal(foreign.status, 200);
    const unknown = '01990000-0000-7000-8000-00000000000f';
    const replies = [];
    for (const datasetId of [foreign.body.id, unknown, 'x']) replies.push(await change(id, { datasetId }));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [404, 404, 404],
    );
    await app.put(elsewhere, 'stays.txt', 'y');
    assert.equal((await change(id, { datasetId: elsewhere })).status, 409);
    const both = await change(id, { datasetId: elsewhere, name: 'moved-and-renamed.txt' });
    assert.deepEqual([both.body.datasetId, both.body.name], [elsewhere, 'moved-and-renamed.txt']);
  });

  test('bytes of an overwrite begun before a rename get the new name', async () => {
    const id = await app.put(project, 'follow.txt', 'old');
    const body = { name: 'follow.txt', datasetId: project, overwrite: true };
    const begun = await app.call('POST', '/v1/files', { body });
    assert.equal((await change(id, { name: 'followed.txt' })).status, 200);
    assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'new' })).status, 200);
    assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'new');
    assert.deepEqual(await names(project, 'follow'), ['followed.txt']);
  });

  test('bytes for a file that was moved meanwhile are refused', async () => {
    const id = await app.put(project, 'left.txt', 'old');
    const body = { name: 'left.txt', datasetId: project, overwrite: true };
    const begun = await app.call('POST', '/v1/files', { body });
    assert.equal((await change(id, { datasetId: elsewhere })).status, 200);
    assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'new' })).status, 404);
    assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'old');
  });

  test('a file moved and then deleted is not recreated in its first project by repeated bytes', async () => {
    const body = { name: 'gone.txt', datasetId: project };
    const whole = await app.call('POST', '/v1/files', { body });
    const send = (address: string) => fetch(address, { method: 'PUT', body: 'bytes' });
    assert.equal((await send(whole.body.uploadUrl)).status, 200);
    const { id } = whole.body;
    const parted = await app.call('POST', '/v1/uploads', { body: { ...body, id, overwrite: true } });
    const part = await app.call('GET', `/v1/uploads/${parted.body.uploadId}/parts/1`);
    assert.equal((await send(part.body.uploadUrl)).status, 200);
    // The first bytes arrive before the move, the last after the deletion.
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* slowly() {
      yield Buffer.from('by');
      await promise;
      yield Buffer.from('tes');
    }
    const slow = fetch(whole.body.uploadUrl, {
      method: 'PUT',
      body: ReadableStream.from(slowly()),
      duplex: 'half',
    } as RequestInit);
    assert.equal((await change(id, { datasetId: elsewhere })).status, 200);
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
    resolve();
    const statuses = [
      (await slow).status,
      (await send(whole.body.uploadUrl)).status,
      (await send(part.body.uploadUrl)).status,
      (await app.call('DELETE', `/v1/uploads/${parted.body.uploadId}`)).status,
    ];
    assert.deepEqual(statuses, [404, 404, 404, 404]);
    assert.deepEqual(await names(project, 'gone'), []);
  });

  test('ingested rows move with their file and are deleted with it', async () => {
    const from = await TestProject.make(app.call, 'Rows from');
    const to = await TestProject.make(app.call, 'Rows to');
    const file = await from.take('rows.ndjson', fhirText('rows', 5, 2));
    const counts = async (one: TestProject) => [await one.count('patient'), await one.count('observation')];
    const inFrom = await counts(from);
    await from.take('stays.vcf', vcfText('stays', 4));
    assert.equal((await change(file, { datasetId: to.id })).status, 200);
    assert.deepEqual([await counts(from), await counts(to)], [[0, 0], inFrom]);
    assert.equal(await from.count('variant'), 4, 'the rows of other files stay');
    assert.equal((await change(file, { datasetId: from.id })).status, 200);
    assert.deepEqual([await counts(from), await counts(to)], [inFrom, [0, 0]]);
    assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
    assert.deepEqual(await counts(from), [0, 0]);
  });

  test('a file being ingested cannot move, but can be renamed', async () => {
    const from = await TestProject.make(app.call, 'Busy');
    const file = await from.upload('busy.ndjson', fhirText('busy', 5000, 2));
    const ingestion = await from.startIngestion(file);
    const refused = await change(file, { datasetId: elsewhere });
    assert.deepEqual([refused.status, refused.body.code], [409, 'INGESTION_RUNNING']);
    assert.equal((await change(file, { name: 'renamed-while-busy.ndjson' })).status, 200);
    assert.equal((await from.endOfIngestion(ingestion)).state, 'succeeded');
    assert.equal((await change(file, { datasetId: elsewhere })).status, 200);
  });

  test('the result file of a query can be renamed and moved, and stays readable for its user', async () => {
    const from = await TestProject.make(app.call, 'Results');
    const id = await from.startQuery('select 1 as one', 'one.csv');
    await from.endOfQuery(id);
    const renamed = await change(id, { name: 'kept/one.csv', datasetId: elsewhere });
    assert.deepEqual([renamed.status, renamed.body.name], [200, 'kept/one.csv']);
    assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'one\n1\n');
    assert.equal((await from.query(id)).resultFileId, id);
    const again = await from.startQuery('select 2 as two', 'one.csv');
    assert.equal((await from.endOfQuery(again)).outputFileName, 'one.csv', 'the name is free again');
  });
});
