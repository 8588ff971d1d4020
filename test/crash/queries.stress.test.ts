import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { until } from '../support/until.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';

/** When the service dies, as part of the time that the query takes; 0 is right after it was accepted. */
const moments = [0, 0.25, 0.5, 0.75, 0.9, 1];
/** Query that runs for a moment, with one row at its end. */
const slow = 'select count(*) as sevenths from range(50000000) t(i) where i % 7 = 3';
const slowAnswer = 'sevenths\n7142857\n';
/** Never ends within a test. */
const endless = 'select count(*) from range(100000000000000) t(i) where i % 7 = 3';

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start();
  project = await TestProject.make(service.call, 'Queries');
});
after(() => service.end());

test('a crash at any moment of a query leaves one right result or none, and the query runs again', async () => {
  const startedAt = performance.now();
  await project.endOfQuery(await project.startQuery(slow, 'slow.csv'));
  const durationMs = performance.now() - startedAt;
  for (const [index, moment] of [...moments, undefined].entries()) {
    const id = await project.startQuery(slow, 'slow.csv');
    if (moment === undefined) await project.endOfQuery(id);
    await service.dieAfter(durationMs * (moment ?? 0));

    const now = await project.query(id);
    const file = await service.call('GET', `/v1/files/${id}`);
    if (now.state === 'running') assert.ok(file.status === 404 || file.text === slowAnswer);
    else assert.equal(now.state, 'succeeded');
    if (moment === undefined) assert.equal(now.state, 'succeeded', 'what was reported once stays so');
    const end = await project.endOfQuery(id);
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
    assert.equal(end.resultFileId, id);
    assert.equal((await service.call('GET', `/v1/files/${id}`)).text, slowAnswer);
    assert.equal(end.outputFileName, `slow.csv(${index + 2})`);
    assert.equal((await project.fileNames('slow.csv')).length, index + 2, 'one file a query');
    await untilSwept(service);
  }
  await service.assertAuditWhole();
});

test('a query whose process ended five times fails and leaves no file', async () => {
  const id = await project.startQuery(endless, 'endless.csv');
  for (const lost of [0, 1, 2, 3, 4]) {
    const isRunning = () => {
      const job = service.job('queries', id);
      return job.state === 'running' && job.lost === lost;
    };
    await until(isRunning, `it runs after ${lost} ends`);
    assert.equal((await project.query(id)).state, 'running');
    await service.dieAfter(0);
  }
  const end = await project.endOfQuery(id);
  assert.equal(end.state, 'failed');
  assert.equal(end.error?.code, 'INTERRUPTED');
  assert.equal((await service.call('GET', `/v1/files/${id}`)).status, 404);
  assert.deepEqual(await project.fileNames('endless'), []);
  await untilSwept(service);
});
