import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject, type Work } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { until } from '../support/until.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';
import { killWorkers } from './worker-processes.ts';

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start({ PLOIDY_IDLE_WORKERS: '1' });
  project = await TestProject.make(service.call, 'Workers');
});
after(() => service.end());

/** Waits until the work has got somewhere, and is not done. */
async function untilUnderWay(look: () => Promise<Work>, advanced: (work: Work) => boolean): Promise<void> {
  await until(async () => {
    const work = await look();
    assert.ok(['queued', 'running'].includes(work.state), `it is ${work.state} before anything was killed`);
    return advanced(work);
  }, 'the work got somewhere');
}

const linuxOnly = process.platform === 'linux' ? false : 'processes are found in /proc';

test('an ingestion whose process is killed is tried again and succeeds', { skip: linuxOnly }, async () => {
  const patients = 12_000;
  const file = await project.upload('patients.ndjson', fhirText('p', patients, 3));
  const id = await project.startIngestion(file);
  await untilUnderWay(
    () => project.ingestion(id),
    ({ progress }) => progress.bytes > 0,
  );
  assert.ok(killWorkers(service, 'conversion') > 0);
  const end = await project.endOfIngestion(id);
  assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
  assert.equal(service.job('ingestions', id).attempts, 2);
  assert.equal(await project.count('patient'), patients);
  await untilSwept(service);
});

test('a query whose process is killed is tried again and succeeds', { skip: linuxOnly }, async () => {
  const id = await project.startQuery(
    'select count(*) from range(1000000000) t(i) where i % 7 = 3',
    'long.csv',
  );
  await until(() => service.job('queries', id).state === 'running', 'the query runs');
  // After the previous count no process is idle yet: one is started for it.
  await until(() => killWorkers(service, 'query') > 0, 'its process is there to be killed');
  const end = await project.endOfQuery(id);
  assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
  assert.deepEqual(await project.fileNames('long'), ['long.csv']);
  assert.equal((await service.call('GET', `/v1/files/${id}`)).text, 'count\n142857143\n');
  assert.equal((await service.call('GET', '/readyz')).status, 200);
  await untilSwept(service);
});
