/**
 * Effects of a removal on running work, on uploads in progress, and on all content of a project or account.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { TestProject } from '../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../test/support/app.ts';
import { HeldRemovals } from '../../../../../test/support/held-removals.ts';
import { removalOf, rowsLeft, untilRemoved } from '../../../../../test/support/removals.ts';
import { until } from '../../../../../test/support/until.ts';

const endless = 'select count(*) from range(100000000000000) t(i) where i % 7 = 3';

describeApp('removal', (app) => {
  const records = () => app.people.records;
  const remove = async (project: TestProject): Promise<void> => {
    const reply = await app.call('DELETE', `/v1/projects/${project.id}?force=true`);
    assert.equal(reply.status, 204, reply.text);
  };
  const blobs = (): string[] => globSync('blobs/??/*', { cwd: app.folder }).sort();
  const scratch = (): string[] => globSync('blobs/scratch/*', { cwd: app.folder });
  const jobStates = async (ids: string[]): Promise<string[]> => {
    const rows = await records().read.selectFrom('jobs').select(['state', 'payload']).execute();
    return rows.filter(({ payload }) => ids.some((id) => payload.includes(id))).map(({ state }) => state);
  };

  // asvs: 14.2.4
  test('all content of a project is removed, rows and bytes, and the audit log has the counts', async () => {
    const neighbour = await TestProject.make(app.call, 'Neighbour');
    await neighbour.take('patients.ndjson', fhirText('n', 3));
    const before = blobs();
    const project = await TestProject.make(app.call, 'Full');
    await project.take('patients.ndjson', fhirText('p', 5));
    const replaced = await project.take('patients.ndjson', fhirText('q', 5, 1));
    await project.ask('select count(*) from patient');
    await project.upload('more.txt', 'more');
    const waiting = { name: 'waiting.txt', datasetId: project.id };
    assert.equal((await app.call('POST', '/v1/files', { body: waiting })).status, 200);
    assert.ok(blobs().length > before.length);
    await remove(project);
    await untilRemoved(records(), 'project', project.id);
    assert.deepEqual(await rowsLeft(records(), 'project', project.id), []);
    await until(() => blobs().length === before.length, 'the bytes are gone');
    assert.deepEqual(blobs(), before);
    assert.equal((await app.call('GET', `/v1/files/${replaced}`)).status, 404);
    const event = await records()
      .read.selectFrom('audit_events')
      .select('details')
      .where('resource_id', '=', project.id)
      .where('action', '=', 'projects.remove')
      .executeTakeFirstOrThrow();
    const counts = JSON.parse(event.details);
    const { files, uploads, ingestions, queries, lakes, segments } = counts;
    assert.deepEqual(
      { files, uploads, ingestions, queries, lakes },
      { files: 3, uploads: 4, ingestions: 2, queries: 1, lakes: 1 },
    );
    assert.ok(segments >= 3, 'also those that were retired');
    assert.deepEqual(await neighbour.ask('select count(*) from patient'), ['3']);
  });

  test('rows beyond the limit of one step take several steps', async () => {
    const project = await TestProject.make(app.call, 'Many');
    const template = await records().read.selectFrom('uploads').selectAll().executeTakeFirstOrThrow();
    await records().transact(async (tx) => {
      for (let at = 0; at < 1050; at += 150) {
        const rows = Array.from({ length: 150 }, (_, index) => ({
          ...template,
          id: `many-${at + index}`,
          project_id: project.id,
        }));
        await tx.insertInto('uploads').values(rows).execute();
      }
    });
    await remove(project);
    await untilRemoved(records(), 'project', project.id);
    assert.deepEqual(await rowsLeft(records(), 'project', project.id), []);
    assert.deepEqual(JSON.parse((await removalOf(records(), 'project', project.id))?.counts ?? ''), {
      uploads: 1050,
    });
  });

  test('running and queued queries and ingestions end cancelled, publish nothing and leave nothing', async () => {
    const project = await TestProject.make(app.call, 'Busy');
    const before = blobs();
    const file = await project.upload('patients.ndjson', fhirText('p', 20_000, 2));
    const ingestions = [await project.startIngestion(file), await project.startIngestion(file)];
    const queries: string[] = [];
    for (let round = 0; round < 4; round += 1) queries.push(await project.startQuery(endless));
    const work = [...ingestions, ...queries];
    await until(
      async () => (await jobStates(work)).filter((state) => state === 'running').length >= 3,
      'work runs',
    );
    await remove(project);
    await untilRemoved(records(), 'project', project.id);
    assert.deepEqual([...new Set(await jobStates(work))], ['cancelled']);
    await until(() => scratch().length === 0, 'nothing is left of it');
    assert.deepEqual(await rowsLeft(records(), 'project', project.id), []);
    await until(() => blobs().length === before.length, 'no blob is left');
    const counts = JSON.parse((await removalOf(records(), 'project', project.id))?.counts ?? '');
    assert.deepEqual([counts.ingestionsCancelled, counts.queriesCancelled], [2, 4]);
    const next = await TestProject.make(app.call, 'After it');
    assert.deepEqual(await next.ask('select 1'), ['1'], 'the places are free again');
  });

  test('work that ends during the removal of its project leaves a file or nothing, and then nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      const project = await TestProject.make(app.call, `Race ${round}`);
      const before = blobs();
      const file = await project.upload('patients.ndjson', fhirText('p', 3));
      await project.startIngestion(file);
      for (let query = 0; query < 4; query += 1) await project.startQuery('select 1');
      const looked = records().read.selectFrom('jobs').select('id').where('state', '=', 'running');
      for (let look = 0; look < round; look += 1) await looked.execute();
      await remove(project);
      await untilRemoved(records(), 'project', project.id);
      assert.deepEqual(await rowsLeft(records(), 'project', project.id), []);
      await until(() => scratch().length === 0 && blobs().length === before.length, 'no byte is left');
    }
  });

  test('an upload in progress when its project is removed fails cleanly and leaves no blob', async () => {
    const project = await TestProject.make(app.call, 'Under way');
    const before = blobs();
    const body = { name: 'slow.bin', datasetId: project.id, ingest: true };
    const { uploadUrl } = (await app.call('POST', '/v1/files', { body })).body;
    const gone = Promise.withResolvers<void>();
    const arriving = async function* () {
      yield Buffer.alloc(100_000, 'a');
      await gone.promise;
      yield Buffer.alloc(100_000, 'b');
    };
    const request = { method: 'PUT', body: Readable.from(arriving()), duplex: 'half' };
    const sent = fetch(uploadUrl, request as RequestInit);
    await until(() => scratch().length > 0, 'bytes arrive');
    await remove(project);
    await untilRemoved(records(), 'project', project.id);
    gone.resolve();
    const reply = await sent;
    assert.deepEqual([reply.status, ((await reply.json()) as { code: string }).code], [404, 'NOT_FOUND']);
    await until(() => scratch().length === 0, 'the scratch file is gone');
    assert.deepEqual(blobs(), before);
    assert.deepEqual(await rowsLeft(records(), 'project', project.id), []);
  });

  test('a project or account under removal accepts no content, under any concurrency', async () => {
    const { key, account } = await app.people.owner('crowded');
    const call = (method: string, path: string, body?: object) =>
      app.call(method, path, { key, account, ...(body && { body }) });
    const datasetId = (await call('POST', '/v1/projects', { name: 'Crowded' })).body.id;
    const put = await call('POST', '/v1/files', { name: 'a.ndjson', datasetId });
    await fetch(put.body.uploadUrl, { method: 'PUT', body: fhirText('p', 2) });
    // A caller may have 65 requests at work.
    const attempts = Array.from({ length: 12 }, (_, number) => [
      call('POST', '/v1/files', { name: `${number}.txt`, datasetId }),
      call('POST', '/v1/ingestions', { datasetId, fileId: put.body.id }),
      call('POST', '/v1/analytics/data-lake/query', {
        datasetId,
        query: 'select 1',
        outputFileName: 'x.csv',
      }),
      call('POST', '/v1/projects', { name: `Another ${number}` }),
      call('POST', '/v1/api-keys', { name: `Key ${number}`, expireInDays: 1 }),
      ...(number === 7 ? [call('DELETE', `/v1/accounts/${account}?force=true`)] : []),
    ]).flat();
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    for (const status of statuses) assert.ok([200, 202, 204, 401, 404].includes(status), String(status));
    assert.equal(statuses.filter((status) => status === 204).length, 1);
    await untilRemoved(records(), 'account', account);
    assert.deepEqual(await rowsLeft(records(), 'account', account), []);
    assert.deepEqual(await rowsLeft(records(), 'project', datasetId), []);
    const projects = await records()
      .read.selectFrom('projects')
      .select('id')
      .where('account_id', '=', account)
      .execute();
    assert.deepEqual(projects, []);
  });

  test('a due removal runs once, however many processes look at that moment', async () => {
    const { account } = await app.people.owner('looked-at');
    const processes = Array.from({ length: 5 }, () => new HeldRemovals(records()));
    await Promise.all(processes.map((one) => one.begin('account', account)));
    await processes[0]?.letGo();
    await untilRemoved(records(), 'account', account);
    const events = await records()
      .read.selectFrom('audit_events')
      .select('action')
      .where('account_id', '=', account)
      .where('via', '=', 'job')
      .orderBy('sequence')
      .execute();
    assert.deepEqual(
      events.map(({ action }) => action),
      ['accounts.delete', 'accounts.remove'],
    );
  });
});
