import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../test/inputs/project.ts';
import { vcfText } from '../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';

const endless = 'SELECT count(*) FROM range(100000000000000) t(i) WHERE i % 7 = 3';

describeApp('what an upload may replace', (app) => {
  let project: TestProject;
  let creator: { key: string };

  before(async () => {
    project = await TestProject.make(app.call, 'Rights of uploads');
    creator = await app.people.member(app.account, ['createData']);
  });

  const begin = (body: object, key?: string): Promise<Reply> =>
    app.call('POST', '/v1/files', { ...(key && { key }), body: { datasetId: project.id, ...body } });
  const put = (reply: Reply, content: string) =>
    fetch(new URL(reply.body.uploadUrl, app.address), { method: 'PUT', body: content });
  const textOf = async (id: string) => (await app.call('GET', `/v1/files/${id}`)).text;

  test('whoever announced an id before the file was there may not replace it', async () => {
    const id = randomUUID();
    const own = await begin({ id, name: 'own.txt' });
    const early = await begin({ id, name: 'early.txt' }, creator.key);
    assert.deepEqual([own.status, early.status], [200, 200]);
    assert.equal((await put(own, 'own')).status, 200);
    assert.equal((await put(early, 'early')).status, 409);
    assert.equal(await textOf(id), 'own');
    const after = await begin({ id, name: 'late.txt' }, creator.key);
    assert.equal(after.status, 403);
  });

  test('bytes may be sent again to the same address, until somebody else has replaced them', async () => {
    const begun = await begin({ name: 'again.txt' }, creator.key);
    for (const content of ['first', 'second']) assert.equal((await put(begun, content)).status, 200);
    const { id } = begun.body;
    assert.equal(await textOf(id), 'second');
    assert.equal((await put(await begin({ id, name: 'again.txt' }), 'theirs')).status, 200);
    assert.equal((await put(begun, 'third')).status, 409);
    assert.equal(await textOf(id), 'theirs');
  });

  test('two who overwrite the same new name make one file, whose id and rows stay', async () => {
    const body = { name: 'twice.vcf', overwrite: true };
    const begun = await Promise.all(Array.from({ length: 5 }, () => begin(body)));
    assert.equal(new Set(begun.map((reply) => reply.body.id)).size, 1);
    const [first, second] = begun as [Reply, Reply];
    assert.equal((await put(first, vcfText('one', 3))).status, 200);
    await project.ingest(first.body.id);
    assert.equal((await put(second, vcfText('two', 5))).status, 200);
    assert.equal((await app.call('GET', `/v1/files/${first.body.id}?include=metadata`)).status, 200);
    assert.deepEqual(await project.ask('select count(*) from variant'), ['3']);
  });

  test('the id of a file that has left its name is not announced for the name again', async () => {
    const body = { name: 'left.txt', overwrite: true };
    const [first, second] = [await begin(body), await begin(body)];
    assert.equal((await put(first, 'first')).status, 200);
    const elsewhere = (await app.call('POST', '/v1/projects', { body: { name: 'Where it went' } })).body.id;
    const { id } = second.body;
    const moved = await app.call('PATCH', `/v1/files/${id}`, { body: { datasetId: elsewhere } });
    assert.equal(moved.status, 200, moved.text);
    const third = await begin(body);
    assert.notEqual(third.body.id, id);
    assert.equal((await put(third, 'third')).status, 200);
    assert.deepEqual([await textOf(id), await textOf(third.body.id)], ['first', 'third']);
    assert.equal((await put(second, 'second')).status, 404, 'an upload ends when its file has left');
  });

  test('the id of a query is that of its result, for whoever else sends it', async () => {
    const path = '/v1/analytics/data-lake/query';
    const body = { query: endless, datasetId: project.id, outputFileName: 'endless.csv' };
    const { queryId } = (await app.call('POST', path, { body })).body;
    const stranger = await app.people.owner(`squatters-${app.folder.slice(-6).toLowerCase()}`);
    const theirs = { key: stranger.key, account: stranger.account };
    const elsewhere = (await app.call('POST', '/v1/projects', { ...theirs, body: { name: 'Theirs' } })).body
      .id;
    const file = { id: queryId, name: 'x.txt', datasetId: elsewhere };
    assert.equal((await app.call('POST', '/v1/files', { ...theirs, body: file })).status, 404);
    assert.equal((await app.call('POST', '/v1/uploads', { ...theirs, body: file })).status, 404);
    assert.equal((await begin({ id: queryId, name: 'x.txt' }, creator.key)).status, 404);
    assert.equal((await app.call('DELETE', `${path}/${queryId}`)).status, 200);
  });

  test('rows that a file gave are replaced only by who may update data', async () => {
    const id = await app.put(project.id, 'whose.vcf', vcfText('S1', 3));
    const ingest = (key: string) =>
      app.call('POST', '/v1/ingestions', {
        key,
        body: { datasetId: project.id, fileId: id, patientId: 'wrong' },
      });
    await project.ingest(id, { patientId: 'right' });
    assert.equal((await ingest(creator.key)).status, 403);
    const body = { datasetId: project.id, fileId: id };
    const reads = await app.call('POST', `/${app.account}/v1/readgroupsets`, { key: creator.key, body });
    assert.equal(reads.status, 403);
    assert.deepEqual(await project.ask("select patient_id from sequence where id = 'S1'"), ['right']);
    const updater = await app.people.member(app.account, ['createData', 'updateData']);
    assert.equal((await ingest(updater.key)).status, 202);
    await until(
      async () => (await project.ask("select patient_id from sequence where id = 'S1'"))[0] === 'wrong',
      'the rows are replaced',
    );
  });

  test('of several who ingest a new file at once, and may not replace its rows, one does', async () => {
    const fileId = await app.put(project.id, 'at-once.vcf', vcfText('S9', 3));
    const body = { datasetId: project.id, fileId };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => app.call('POST', '/v1/ingestions', { key: creator.key, body })),
    );
    const statuses = replies.map(({ status }) => status).toSorted();
    assert.equal(statuses[0], 202);
    assert.ok(
      statuses.slice(1).every((status) => status === 403 || status === 409),
      statuses.join(),
    );
  });

  test('an id is found in whichever case it is written', async () => {
    const id = randomUUID().toUpperCase();
    assert.equal((await put(await begin({ id, name: 'case.txt' }), 'x')).status, 200);
    assert.equal(await textOf(id), 'x');
    assert.equal((await app.call('PATCH', `/v1/files/${id}`, { body: { name: 'cased.txt' } })).status, 200);
    const body = { datasetId: project.id, fileId: id };
    assert.equal((await app.call('POST', '/v1/ingestions', { body })).status, 202);
  });
});
