import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { until } from '../support/until.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start();
  project = await TestProject.make(service.call, 'Stop');
});
after(() => service.end());

test('a stop lets requests in flight finish, hands the jobs back uncounted, and the next start does them', async () => {
  const patients = 8000;
  const fhir = await project.upload('patients.ndjson', fhirText('p', patients, 3));
  const { uploadUrl, id: fileId } = (
    await service.call('POST', '/v1/files', { body: { name: 'slow.txt', datasetId: project.id } })
  ).body;
  const { promise: stopped, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: sending, resolve: begun } = Promise.withResolvers<void>();
  async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from('before the signal, ');
    begun();
    await stopped;
    yield Buffer.from('and after it');
  }
  const upload = fetch(uploadUrl, { method: 'PUT', body: bytes() as never, duplex: 'half' } as RequestInit);
  await sending;
  const query = await project.startQuery('select count(*) from range(1000000000) t(i) where i % 7 = 3');
  const ingestion = await project.startIngestion(fhir);
  const job = {
    query: () => service.job('queries', query),
    ingestion: () => service.job('ingestions', ingestion),
  };
  await until(() => job.query().state === 'running' && job.ingestion().state === 'running', 'both run');

  const { process: running } = service.server;
  const exit = once(running, 'exit');
  running.kill('SIGTERM');
  await until(
    () => job.query().state === 'queued' && job.ingestion().state === 'queued',
    'both are handed back',
  );
  // A proxy learns that it stops, and what it sends until then is answered.
  const probe = await service.call('GET', '/readyz');
  assert.deepEqual([probe.status, probe.body.code], [503, 'NOT_READY']);
  const late = await service.call('POST', '/v1/projects', { body: { name: 'Late' } });
  assert.deepEqual([late.status, late.headers.get('connection')], [200, 'close'], late.text);
  assert.deepEqual(job.query(), { state: 'queued', attempts: 0, lost: 0 });
  assert.deepEqual(job.ingestion(), { state: 'queued', attempts: 0, lost: 0 });
  goOn();
  const answer = await upload;
  assert.equal(answer.status, 200, await answer.text());
  assert.deepEqual(await exit, [0, null]);

  await service.restart();
  assert.equal((await service.call('GET', `/v1/files/${fileId}`)).text, 'before the signal, and after it');
  assert.equal((await project.endOfQuery(query)).state, 'succeeded');
  assert.equal((await project.endOfIngestion(ingestion)).state, 'succeeded');
  await until(() => job.query().state === 'succeeded' && job.ingestion().state === 'succeeded', 'both ended');
  assert.deepEqual([job.query().attempts, job.ingestion().attempts], [1, 1]);
  assert.equal(await project.count('patient'), patients);
  await untilSwept(service);
  await service.assertAuditWhole();
});
