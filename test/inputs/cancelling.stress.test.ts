import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { describeOnPostgres, type TestApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { TestProject } from './project.ts';
import { fhirText } from './texts.ts';

const endless = 'select count(*) from range(100000000000000) t(i) where i % 7 = 3';

function body(app: TestApp): void {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Cancelling');
  });

  /** Returns a file whose ingestion has begun and is not near its end. */
  async function underWay(name: string): Promise<{ fileId: string; id: string }> {
    const fileId = await project.upload(name, fhirText(name, 10_000, 2));
    const id = await project.startIngestion(fileId);
    await until(async () => (await project.ingestion(id)).progress.bytes > 0, 'the ingestion got somewhere');
    return { fileId, id };
  }

  const scratch = () => readdirSync(join(app.folder, 'blobs/scratch'));

  test('an ingestion cancelled in the middle is never seen, and the next one works', async () => {
    const { id } = await underWay('cancelled.ndjson');
    assert.equal((await app.call('DELETE', `/v1/ingestions/${id}`)).status, 204);
    assert.equal((await project.ingestion(id)).state, 'cancelled');
    assert.equal((await app.call('DELETE', `/v1/ingestions/${id}`)).status, 409);
    await until(() => scratch().length === 0, 'nothing is left of it');
    assert.equal(await project.count('patient'), 0);
    await project.take('next.ndjson', fhirText('next', 3));
    assert.equal(await project.count('patient'), 3);
    assert.equal((await project.ingestion(id)).state, 'cancelled');
  });

  test('an ingestion that waits is cancelled without having run', async () => {
    const { id: first } = await underWay('first.ndjson');
    const waiting = await project.startIngestion(
      await project.upload('waiting.ndjson', fhirText('waiting', 2)),
    );
    assert.equal((await project.ingestion(waiting)).state, 'queued');
    assert.equal((await app.call('DELETE', `/v1/ingestions/${waiting}`)).status, 204);
    assert.equal((await app.call('DELETE', `/v1/ingestions/${first}`)).status, 204);
    assert.equal((await project.ingestion(waiting)).state, 'cancelled');
    assert.equal(await project.count('patient'), 3);
  });

  test('a file deleted while it is ingested has no rows and a clear failure', async () => {
    const { fileId, id } = await underWay('deleted.ndjson');
    assert.equal((await app.call('DELETE', `/v1/files/${fileId}`)).status, 204);
    const end = await project.endOfIngestion(id);
    assert.equal(end.state, 'failed');
    assert.match(end.error?.message ?? '', /deleted/);
    assert.equal(await project.count('patient'), 3);
    const again = { body: { datasetId: project.id, fileId } };
    assert.equal((await app.call('POST', '/v1/ingestions', again)).status, 404);
  });

  test('a file overwritten while it is ingested ends with the rows of its new bytes', async () => {
    const { id } = await underWay('overwritten.ndjson');
    const fileId = await project.upload('overwritten.ndjson', fhirText('new', 2));
    const end = await project.endOfIngestion(id);
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
    assert.equal(await project.count('patient'), 3 + 2);
    assert.equal((await app.call('DELETE', `/v1/files/${fileId}`)).status, 204);
  });

  test('a query cancelled while it runs ends at once, never leaves a file, and cannot be cancelled again', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 6; round += 1) ids.push(await project.startQuery(endless, 'cancelled.csv'));
    for (const id of ids) {
      const reply = await project.cancelQuery(id);
      assert.deepEqual([reply.status, reply.body.state], [200, 'cancelled']);
      assert.equal((await project.query(id)).state, 'cancelled');
      assert.equal((await project.cancelQuery(id)).status, 409);
    }
    await until(() => scratch().length === 0, 'nothing is left of them');
    for (const id of ids) assert.equal((await app.call('GET', `/v1/files/${id}`)).status, 404);
    assert.deepEqual(await project.fileNames('cancelled.csv'), []);
    assert.deepEqual(await project.ask('select 1'), ['1'], 'others run on');
  });

  test('queries cancelled at the moment they end have a file exactly when they succeeded', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 10; round += 1)
      ids.push(await project.startQuery('select 1 as one', 'race.csv'));
    const replies = await Promise.all(ids.map((id) => project.cancelQuery(id)));
    for (const [index, id] of ids.entries()) {
      const end = await project.endOfQuery(id);
      assert.equal(end.state, replies[index]?.status === 200 ? 'cancelled' : 'succeeded');
      const file = await app.call('GET', `/v1/files/${id}`);
      assert.equal(file.status, end.state === 'succeeded' ? 200 : 404);
    }
  });
}

// One thread: cancelled work in its middle need not take more than one core until then. One place: all ingestions are long.
describeOnPostgres(
  'cancelled work',
  body,
  { PLOIDY_THREADS: '1', PLOIDY_INGESTIONS_MAX: '1' },
  { ingestionShortBytes: 0, ingestionSmallBytes: 0 },
);
