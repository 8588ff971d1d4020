/** Service whose bytes are in an S3-compatible store. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { fhirText, vcfText } from '../inputs/texts.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type S3Server, startS3 } from '../support/s3/server.ts';
import { until } from '../support/until.ts';

describe('a service on S3', () => {
  let s3: S3Server;
  let app: TestApp;
  let project: TestProject;

  before(async () => {
    s3 = await startS3();
    app = await openTestApp({ ...s3.settings, PLOIDY_FILE_MAX: '1MiB' });
    project = await TestProject.make(app.call, 'On S3');
  });
  after(async () => {
    await app?.stop();
    await s3?.close();
  });

  const begin = async (fields: object) => {
    const made = await app.call('POST', '/v1/files', { body: { datasetId: project.id, ...fields } });
    assert.equal(made.status, 200, made.text);
    return made.body as { id: string; uploadUrl: string };
  };
  const send = async (url: string, body: string | Uint8Array) =>
    (await fetch(url, { method: 'PUT', body: body as never })).status;
  const read = async (id: string) => app.call('GET', `/v1/files/${id}`);
  const names = async () => {
    const list = await app.call('GET', `/v1/files?datasetId=${project.id}&pageSize=1000`);
    assert.equal(list.status, 200, list.text);
    return list.body.items.map((one: { name: string }) => one.name) as string[];
  };
  const blobs = () => [...s3.bucket.objects.keys()].filter((key) => key.includes('/blobs/'));

  test('upload, ingestion, query, download and deletion use the store, and leave no byte on the disk or there', async () => {
    assert.equal((await app.call('GET', '/readyz')).status, 200);
    const id = await project.take('cohort.vcf', vcfText('s3', 50));
    assert.equal(await project.count('variant'), 50);
    const query = await project.endOfQuery(
      await project.startQuery('select variant_id from variant', 'all.csv'),
    );
    assert.equal(query.state, 'succeeded', JSON.stringify(query.error));
    const asked = await app.call('GET', `/v1/files/${query.id}?include=downloadUrl`);
    const { headers } = await fetch(asked.body.downloadUrl, { redirect: 'manual' });
    assert.match(headers.get('location') ?? '', /\/test-bucket\/some\/prefix\/blobs\/[0-9a-f]{32}\?/);
    const direct = await fetch(asked.body.downloadUrl, { headers: { range: 'bytes=0-1' } });
    assert.deepEqual([direct.status, await direct.text()], [206, 'va']);
    assert.match(direct.headers.get('content-disposition') ?? '', /^attachment; filename="all\.csv"/);
    assert.equal((await read(query.id)).text.split('\n')[0], 'variant_id');
    assert.deepEqual(readdirSync(join(app.folder, 'blobs', 'scratch')), []);
    assert.equal(existsSync(join(app.folder, 'blobs', '00')), false);
    for (const file of [id, query.id]) {
      assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
      assert.equal((await read(file)).status, 404);
    }
  });

  test('a PUT file is visible at once, by id and in lists, and not before', async () => {
    const { id, uploadUrl } = await begin({ name: 'at-once.bin' });
    assert.ok(!uploadUrl.startsWith(app.address));
    assert.equal((await read(id)).status, 404);
    assert.ok(!(await names()).includes('at-once.bin'));
    assert.equal(await send(uploadUrl, 'bytes'), 200);
    const got = await read(id);
    assert.deepEqual([got.status, got.text], [200, 'bytes']);
    const other = await begin({ name: 'listed-at-once.bin' });
    await send(other.uploadUrl, '');
    assert.ok((await names()).includes('listed-at-once.bin'));
  });

  test('an overwrite shows the old bytes until the new ones have arrived; PUT may be repeated, with other bytes too', async () => {
    const { id, uploadUrl } = await begin({ name: 'over.txt' });
    await send(uploadUrl, 'first');
    const again = await app.call('POST', '/v1/files', { body: { datasetId: project.id, name: 'over.txt' } });
    assert.deepEqual([again.status, again.body.code], [409, 'FILE_EXISTS']);
    const over = await begin({ name: 'over.txt', overwrite: true });
    assert.equal(over.id, id);
    assert.equal((await read(id)).text, 'first');
    await send(over.uploadUrl, 'second');
    assert.equal((await read(id)).text, 'second');
    await send(over.uploadUrl, 'third');
    assert.equal((await read(id)).text, 'third');
    const held = blobs().length;
    await send(over.uploadUrl, 'third');
    assert.equal((await read(id)).text, 'third');
    assert.equal(blobs().length, held, 'replaced bytes are removed');
  });

  test('a file that was deleted does not come back from bytes that are still in the store', async () => {
    const { id, uploadUrl } = await begin({ name: 'gone.txt' });
    await send(uploadUrl, 'bytes');
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
    assert.equal((await read(id)).status, 404);
    assert.ok(!(await names()).includes('gone.txt'));
  });

  test('an upload with automatic ingestion is ingested without further requests, with the same bytes again too', async () => {
    const succeeded = async (): Promise<number> => {
      const list = await app.call('GET', `/v1/ingestions?datasetId=${project.id}`);
      return list.body.items.filter(
        (one: { fileName: string; state: string }) =>
          one.fileName === 'unseen.vcf' && one.state === 'succeeded',
      ).length;
    };
    const begun = [{}, { overwrite: true }].map((how) => ({ name: 'unseen.vcf', ingest: true, ...how }));
    for (const [before, body] of begun.entries()) {
      await send((await begin(body)).uploadUrl, vcfText('unseen', 5));
      await until(async () => (await succeeded()) > before, 'the ingestion succeeded');
    }
  });

  test('bytes that are too many or come for a name that was taken are refused, once, in the audit log', async () => {
    const big = await begin({ name: 'big.bin' });
    assert.equal(await send(big.uploadUrl, randomBytes(1024 * 1024 + 1)), 200);
    const [one, two] = [await begin({ name: 'same.txt' }), await begin({ name: 'same.txt' })];
    await send(one.uploadUrl, 'one');
    assert.equal((await read(one.id)).text, 'one');
    await send(two.uploadUrl, 'two');
    const held = blobs().length;
    for (const { id } of [big, two, big, two]) assert.equal((await read(id)).status, 404);
    assert.equal((await read(one.id)).text, 'one');
    assert.equal(blobs().length, held);
    const events = await app.people.records.read
      .selectFrom('audit_events')
      .select(['resource_id', 'details'])
      .where('action', '=', 'files.upload')
      .where('outcome', '=', 'refused')
      .orderBy('sequence')
      .execute();
    assert.deepEqual(
      events.map((event) => [event.resource_id, JSON.parse(event.details).code]),
      [
        [big.id, 'TOO_LARGE'],
        [two.id, 'FILE_EXISTS'],
      ],
    );
  });

  test('members of a cohort that the store does not take leave nothing on the disk', async () => {
    await project.take('patients.ndjson', fhirText('cohort', 3));
    const body = { name: 'Kept out', ownerProject: project.id, subjectIds: ['cohort-1'] };
    s3.fault = ({ method }) => (method === 'PUT' ? { status: 403, code: 'AccessDenied' } : undefined);
    const refused = await app.call('POST', '/v1/cohorts', { body });
    s3.fault = () => undefined;
    assert.ok(refused.status >= 500, refused.text);
    assert.deepEqual(readdirSync(join(app.folder, 'blobs', 'scratch')), []);
    assert.equal((await app.call('POST', '/v1/cohorts', { body })).body.resultCount, 1);
  });

  test('parts go to the store and are joined there: the last one sent under a number counts, and nothing is left over', async () => {
    const made = await app.call('POST', '/v1/uploads', {
      body: { name: 'parts.bin', datasetId: project.id, size: 15 },
    });
    const { id, uploadId } = made.body;
    const address = async (number: number): Promise<string> => {
      const part = await app.call('GET', `/v1/uploads/${uploadId}/parts/${number}`);
      assert.ok(!part.body.uploadUrl.startsWith(app.address));
      return part.body.uploadUrl;
    };
    const complete = () => app.call('DELETE', `/v1/uploads/${uploadId}`);
    assert.deepEqual([(await complete()).body.code], ['UPLOAD_EMPTY']);
    const held = blobs().length;
    for (const [number, text] of [
      [10, 'third'],
      [2, 'wrong'],
      [2, ' 2nd '],
      [1, 'first'],
    ] as const) {
      assert.equal(await send(await address(number), text), 200);
    }
    assert.equal((await read(id)).status, 404);
    const late = await address(11);
    assert.equal(await send(late, 'too much'), 200);
    assert.equal((await complete()).body.code, 'SIZE_MISMATCH');
    assert.equal(await send(late, ''), 200);
    assert.equal((await complete()).status, 204);
    assert.equal((await read(id)).text, 'first 2nd third');
    assert.equal((await complete()).status, 204);
    assert.equal(blobs().length, held + 1);
    const incoming = [...s3.bucket.objects.keys()].filter((key) => key.includes(`/incoming/${uploadId}`));
    assert.deepEqual(incoming, []);
  });

  test('an upload follows its file to a new name, and ends when the file has left the project', async () => {
    const { id, uploadUrl } = await begin({ name: 'old-name.txt' });
    await send(uploadUrl, 'one');
    assert.equal((await read(id)).text, 'one');
    const change = (body: object) => app.call('PATCH', `/v1/files/${id}`, { body });
    assert.equal((await change({ name: 'new-name.txt' })).status, 200);
    await send(uploadUrl, 'two');
    assert.equal((await read(id)).text, 'two');
    assert.ok((await names()).includes('new-name.txt') && !(await names()).includes('old-name.txt'));
    const other = await TestProject.make(app.call, 'Elsewhere');
    assert.equal((await change({ datasetId: other.id })).status, 200);
    await send(uploadUrl, 'three');
    assert.equal((await read(id)).text, 'two');
  });

  test('the store enforces announced size and digest', async () => {
    const { id, uploadUrl } = await begin({ name: 'promised.txt', size: 5 });
    assert.equal(await send(uploadUrl, 'more than five'), 403);
    assert.equal((await read(id)).status, 404);
    assert.equal(await send(uploadUrl, 'right'), 200);
    assert.equal((await read(id)).text, 'right');
  });

  test('strangers learn nothing of what has arrived', async () => {
    const { id, uploadUrl } = await begin({ name: 'private.txt' });
    const stranger = await app.people.owner('strangers');
    const ask = (file: string) =>
      app.call('GET', `/v1/files/${file}`, { key: stranger.key, account: 'strangers' });
    await send(uploadUrl, 'bytes');
    const [theirs, none] = [await ask(id), await ask('0198c0de-0000-7000-8000-000000000000')];
    const withoutId = (text: string) => text.replace(/"requestId":"[^"]*"/, '');
    assert.deepEqual([theirs.status, withoutId(theirs.text)], [404, withoutId(none.text)]);
  });

  test('while the store is down reads are 503, lists continue, readiness reports it, and jobs wait for it', async () => {
    const id = await project.take('steady.vcf', vcfText('steady', 7));
    const spare = await project.upload('spare.txt', 'bytes');
    const pending = await begin({ name: 'pending.txt' });
    assert.equal((await read(spare)).status, 200);
    for (const slot of readdirSync(join(app.folder, 'cache'))) {
      for (const copy of readdirSync(join(app.folder, 'cache', slot, 'copies'))) {
        writeFileSync(join(app.folder, 'cache', slot, 'copies', copy), '');
      }
    }
    let refused = 0;
    s3.fault = () => {
      refused += 1;
      return { status: 503, code: 'ServiceUnavailable' };
    };
    try {
      const got = await read(id);
      assert.deepEqual([got.status, got.body.code], [503, 'STORAGE_UNAVAILABLE']);
      assert.equal(got.headers.get('retry-after'), '10');
      const stranger = await app.people.owner('others');
      const theirs = { key: stranger.key, account: 'others' };
      assert.equal((await app.call('GET', `/v1/files/${id}`, theirs)).status, 404);
      assert.equal((await app.call('DELETE', `/v1/files/${spare}`)).status, 204);
      assert.equal((await app.call('GET', '/readyz')).status, 503);
      assert.equal((await app.call('GET', '/healthz')).status, 200);
      assert.ok((await names()).includes('steady.vcf'));
      const query = await project.startQuery('select count(*) from variant');
      const job = () =>
        app.people.records.read
          .selectFrom('queries as q')
          .innerJoin('jobs as j', 'j.id', 'q.job_id')
          .select(['j.failure', 'j.attempts', 'j.state'])
          .where('q.id', '=', query)
          .executeTakeFirstOrThrow();
      const hasFailed = async () => {
        const { failure, attempts, state } = await job();
        return failure === 'STORAGE_UNAVAILABLE' && attempts === 0 && state === 'queued';
      };
      await until(hasFailed, 'the query went back to the queue');
      s3.fault = () => undefined;
      assert.equal((await project.endOfQuery(query)).state, 'succeeded');
      assert.ok(refused > 5);
    } finally {
      s3.fault = () => undefined;
    }
    await send(pending.uploadUrl, 'late');
    assert.equal((await read(pending.id)).text, 'late');
    assert.equal((await app.call('GET', '/readyz')).status, 200);
  });
});
