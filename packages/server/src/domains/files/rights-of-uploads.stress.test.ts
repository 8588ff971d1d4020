import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../test/inputs/project.ts';
import { vcfText } from '../../../../../test/inputs/texts.ts';
import { describeOnPostgres, type Reply } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';

const endless = 'SELECT count(*) FROM range(100000000000000) t(i) WHERE i % 7 = 3';

describeOnPostgres('files that an upload may replace', (app) => {
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
  const answerOf = async (sent: Promise<Response>) => {
    const response = await sent;
    return { status: response.status, body: (await response.json()) as { code?: string } };
  };
  /** Waits until no ingestion of the project is running. */
  const untilIngested = () =>
    until(async () => {
      const { items } = (await app.call('GET', `/v1/ingestions?datasetId=${project.id}&pageSize=1000`)).body;
      return items.every(({ state }: { state: string }) => state !== 'queued' && state !== 'running');
    }, 'all is ingested');
  const textOf = async (id: string) => (await app.call('GET', `/v1/files/${id}`)).text;

  test('an id announced before its file existed grants no permission to replace the file', async () => {
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

  test('bytes may be sent again to an address until another upload has replaced them', async () => {
    const begun = await begin({ name: 'again.txt' }, creator.key);
    for (const content of ['first', 'second']) assert.equal((await put(begun, content)).status, 200);
    const { id } = begun.body;
    assert.equal(await textOf(id), 'second');
    assert.equal((await put(await begin({ id, name: 'again.txt' }), 'theirs')).status, 200);
    assert.equal((await put(begun, 'third')).status, 409);
    assert.equal(await textOf(id), 'theirs');
  });

  test('an address grants no more than its creator may do when the bytes arrive', async () => {
    const leaver = await app.people.member(app.account, ['createData', 'updateData', 'readData']);
    const theirs = await app.put(project.id, 'theirs.txt', 'theirs');
    const made = await begin({ name: 'made.txt' }, leaver.key);
    const replacing = await begin({ id: theirs, name: 'theirs.txt' }, leaver.key);
    const parts = await app.call('POST', '/v1/uploads', {
      key: leaver.key,
      body: { name: 'parts.txt', datasetId: project.id },
    });
    const part = await app.call('GET', `/v1/uploads/${parts.body.uploadId}/parts/1`, { key: leaver.key });
    assert.equal((await put(made, 'before')).status, 200);
    await app.people.withdraw(leaver);
    for (const [name, reply] of Object.entries({ made, replacing, part })) {
      const { status, body } = await answerOf(put(reply, 'after'));
      assert.deepEqual([status, body.code], [403, 'FORBIDDEN'], name);
    }
    assert.deepEqual([await textOf(made.body.id), await textOf(theirs)], ['before', 'theirs']);
  });

  test('updateData without createData replaces bytes and rows, and permits a retry', async () => {
    const updater = await app.people.member(app.account, ['updateData', 'readData']);
    const id = await project.take('theirs.vcf', vcfText('theirs', 3));
    const count = () => project.ask("select count(*) from variant where sample_id = 'theirs'");
    assert.deepEqual(await count(), ['3']);
    const begun = await begin({ id, name: 'theirs.vcf', ingest: true }, updater.key);
    for (const _ of ['first', 'again']) assert.equal((await put(begun, vcfText('theirs', 5))).status, 200);
    await untilIngested();
    assert.deepEqual(await count(), ['5'], 'the rows are replaced');
    const named = await begin({ name: 'theirs.vcf', overwrite: true }, updater.key);
    for (const _ of ['first', 'again']) assert.equal((await put(named, 'other')).status, 200);
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
  });

  test('an upload with ingestion needs no right beyond those it began with', async () => {
    const rule = { 'resource.type': { comparison: 'in', value: ['file', 'ingestion'] } };
    const narrow = await app.people.member(app.account, ['createData'], rule);
    const begun = await begin({ name: 'narrow.vcf', ingest: true }, narrow.key);
    assert.equal((await put(begun, vcfText('narrow', 2))).status, 200);
    const ended = async () => {
      const { items } = (await app.call('GET', `/v1/ingestions?datasetId=${project.id}&pageSize=1`)).body;
      assert.notEqual(items[0].state, 'failed', JSON.stringify(items[0].error));
      return items[0].state === 'succeeded';
    };
    await until(ended, 'the file is ingested');
    assert.equal((await app.call('DELETE', `/v1/files/${begun.body.id}`)).status, 204);
  });

  test('repeated bytes revert neither a deletion nor a later upload', async () => {
    const id = await app.put(project.id, 'ours.txt', 'first');
    const again = await begin({ id, name: 'ours.txt' });
    assert.equal((await put(again, 'second')).status, 200);
    assert.equal((await put(await begin({ id, name: 'ours.txt' }), 'third')).status, 200);
    const { status, body } = await answerOf(put(again, 'second'));
    assert.deepEqual([status, body.code, await textOf(id)], [409, 'FILE_CHANGED', 'third']);
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
    assert.equal((await put(again, 'second')).status, 404);
    assert.equal((await app.call('GET', `/v1/files/${id}`)).status, 404);
  });

  test('two overwrites of one new name make one file that keeps its id and rows', async () => {
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

  test('the id of a renamed file is not reused for its old name', async () => {
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

  test('the id of a query is reserved for its result', async () => {
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

  test('ingested rows are replaced only with updateData', async () => {
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
    await untilIngested();
    const replaced = await project.ask("select patient_id from sequence where id = 'S1'");
    assert.deepEqual(replaced, ['wrong'], 'the rows are replaced');
  });

  const patientOf = (sample: string) =>
    project.ask(`select coalesce(patient_id, '-') from sequence where id = '${sample}'`);

  test('repeated bytes do not replace rows that were assigned to another patient', async () => {
    const begun = await begin({ name: 'sent-again.vcf', ingest: true }, creator.key);
    assert.equal((await put(begun, vcfText('S5', 3))).status, 200);
    await project.ingest(begun.body.id, { patientId: 'right' });
    const again = await put(begun, vcfText('S5', 5));
    assert.equal(again.status, 403, await again.text());
    assert.equal((await put(begun, vcfText('S5', 3))).status, 200, 'the same bytes change nothing');
    assert.deepEqual(await patientOf('S5'), ['right']);
    const body = { name: 'sent-again.vcf', ingest: true, overwrite: true };
    assert.equal((await put(await begin(body), vcfText('S5', 4))).status, 200);
    await untilIngested();
    assert.deepEqual(await patientOf('S5'), ['-'], 'the rows are replaced by who may');
  });

  test('an upload of identical bytes with ingest starts one ingestion', async () => {
    const text = vcfText('S8', 3);
    const id = await app.put(project.id, 'same.vcf', text);
    const ingestions = async () => {
      const { items } = (await app.call('GET', `/v1/ingestions?datasetId=${project.id}&pageSize=1000`)).body;
      return items.filter((one: { fileId: string }) => one.fileId === id).length;
    };
    const begun = await begin({ name: 'same.vcf', overwrite: true, ingest: true });
    for (const _ of ['first', 'again']) assert.equal((await put(begun, text)).status, 200);
    assert.equal(await ingestions(), 1);
    await untilIngested();
    assert.deepEqual(await patientOf('S8'), ['-'], 'the rows are there');
    const updater = await app.people.member(app.account, ['updateData']);
    const named = await begin({ id, name: 'same.vcf', ingest: true }, updater.key);
    assert.equal((await put(named, text)).status, 200);
    assert.equal(await ingestions(), 2);
  });

  test('identical bytes under an announced id replace nothing of another user', async () => {
    const id = randomUUID();
    const early = await begin({ id, name: 'announced.vcf', ingest: true }, creator.key);
    const own = await begin({ id, name: 'announced.vcf' });
    assert.equal((await put(own, vcfText('S10', 3))).status, 200);
    await project.ingest(id, { patientId: 'right' });
    assert.equal((await put(early, vcfText('S10', 3))).status, 200, 'the same bytes change nothing');
    assert.equal((await put(early, vcfText('S10', 5))).status, 409);
    assert.deepEqual(await patientOf('S10'), ['right']);
  });

  test('other bytes may follow identical bytes to one address', async () => {
    const id = await app.put(project.id, 'follow.txt', 'first');
    for (const named of [{ overwrite: true }, { id }]) {
      const begun = await begin({ name: 'follow.txt', ...named });
      const text = (await app.call('GET', `/v1/files/${id}`)).text;
      assert.equal((await put(begun, text)).status, 200);
      assert.equal((await put(begun, `${text} and more`)).status, 200);
      assert.equal((await app.call('GET', `/v1/files/${id}`)).text, `${text} and more`);
    }
  });

  test('identical bytes sent again later revert neither another upload nor a deletion', async () => {
    const id = await app.put(project.id, 'back.txt', 'first');
    const same = await begin({ name: 'back.txt', overwrite: true });
    assert.equal((await put(same, 'first')).status, 200);
    const other = await begin({ name: 'back.txt', overwrite: true });
    assert.equal((await put(other, 'second')).status, 200);
    assert.equal((await put(same, 'first')).status, 409);
    assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'second');
    assert.equal((await put(other, 'second')).status, 200);
    const last = await begin({ name: 'back.txt', overwrite: true });
    assert.equal((await put(last, 'second')).status, 200);
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
    assert.equal((await put(last, 'second')).status, 404);
  });

  test('the id of a file whose rows were kept allows no access to them', async () => {
    const id = await app.put(project.id, 'kept.vcf', vcfText('S6', 3));
    await project.ingest(id, { patientId: 'right' });
    assert.equal((await app.call('DELETE', `/v1/files/${id}?keepRows=true`)).status, 204);
    const begun = await begin({ id, name: 'kept-again.vcf', ingest: true }, creator.key);
    assert.equal((await put(begun, vcfText('S6', 1))).status, 403);
    assert.deepEqual(await patientOf('S6'), ['right']);
  });

  test('a repeated request to ingest returns the same ingestion', async () => {
    const fileId = await app.put(project.id, 'repeated.vcf', vcfText('S7', 3));
    const ask = () =>
      app.call('POST', '/v1/ingestions', {
        key: creator.key,
        body: { datasetId: project.id, fileId },
        headers: { 'idempotency-key': `repeated-${fileId}` },
      });
    const [first, second] = [await ask(), await ask()];
    assert.deepEqual([first.status, second.status], [202, 202]);
    assert.equal(second.body.id, first.body.id);
  });

  test('several uploads that ingest a new file without updateData: one succeeds', async () => {
    const fileId = await app.put(project.id, 'at-once.vcf', vcfText('S9', 3));
    const body = { datasetId: project.id, fileId };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => app.call('POST', '/v1/ingestions', { key: creator.key, body })),
    );
    const statuses = replies.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [202, ...Array.from({ length: 7 }, () => 403)]);
  });

  test('an id is found in upper and lower case', async () => {
    const id = randomUUID().toUpperCase();
    assert.equal((await put(await begin({ id, name: 'case.txt' }), 'x')).status, 200);
    assert.equal(await textOf(id), 'x');
    assert.equal((await app.call('PATCH', `/v1/files/${id}`, { body: { name: 'cased.txt' } })).status, 200);
    const body = { datasetId: project.id, fileId: id };
    assert.equal((await app.call('POST', '/v1/ingestions', { body })).status, 202);
  });
});
