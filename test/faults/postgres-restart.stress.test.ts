/** PostgreSQL stops abruptly and restarts: requests get 503 with Retry-After, and the service recovers with all its jobs. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { MortalService } from '../crash/mortal-service.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { findPostgres } from '../support/postgres-binaries.ts';
import { type OwnServer, startOwnServer } from '../support/postgres-server.ts';
import { until } from '../support/until.ts';

const binaries = findPostgres();
const skip = binaries || process.env['CI'] === 'true' ? false : 'there are no programs of PostgreSQL';

let database: OwnServer;
let service: MortalService;
let project: TestProject;

before(async () => {
  if (skip) return;
  assert.ok(binaries, 'there are programs of PostgreSQL');
  database = await startOwnServer(binaries);
  const client = new pg.Client({ connectionString: `${database.url}/postgres` });
  await client.connect();
  await client.query('create database ploidy');
  await client.end();
  service = await MortalService.start({
    PLOIDY_DATABASE_URL: `${database.url}/ploidy`,
    PLOIDY_JOB_LEASE: '3s',
    PLOIDY_IDLE_WORKERS: '1',
  });
  project = await TestProject.make(service.call, 'Restart');
});
after(() => service?.end());

const ready = async () => (await service.call('GET', '/readyz')).status;

// asvs: 16.5.2
test('requests get 503 with Retry-After while PostgreSQL is down, metrics omit jobs, and all recovers without a restart', {
  skip,
}, async () => {
  const kept = await project.upload('kept.txt', 'kept');
  const begin = (name: string) =>
    service.call('POST', '/v1/files', { body: { name, datasetId: project.id } });
  const { id, uploadUrl } = (await begin('later.txt')).body;
  const patients = 3000;
  const ingestion = await project.startIngestion(
    await project.upload('patients.ndjson', fhirText('p', patients, 2)),
  );
  const query = await project.startQuery('select count(*) from range(70000000) t(i) where i % 7 = 3');
  await until(async () => (await project.ingestion(ingestion)).state === 'running', 'the ingestion runs');

  await database.stop();
  const put = () => fetch(uploadUrl, { method: 'PUT', body: 'later' });
  const refused = [
    await service.call('GET', `/v1/projects/${project.id}`),
    await service.call('POST', '/v1/projects', { body: { name: 'Meanwhile' } }),
    await service.call('GET', `/v1/files/${kept}`),
    await put(),
  ];
  for (const { status, headers } of refused) {
    assert.equal(status, 503);
    assert.ok(Number(headers.get('retry-after')) > 0);
  }
  assert.equal(await ready(), 503);
  assert.equal((await service.call('GET', '/healthz')).status, 200);
  const metrics = await service.call('GET', '/metrics');
  assert.deepEqual([metrics.status, /^ploidy_jobs\{/m.test(metrics.text)], [200, false]);
  assert.match(metrics.text, /_seconds_count\{method="GET",route="\/v1\/projects\/:id",status="503"\} 1$/m);

  await database.start();
  await until(async () => (await ready()) === 200, 'it is ready by itself');
  assert.match((await service.call('GET', '/metrics')).text, /^ploidy_jobs\{/m);
  assert.equal((await put()).status, 200);
  assert.equal(await project.read(id), 'later');
  assert.equal((await service.call('POST', '/v1/projects', { body: { name: 'Afterwards' } })).status, 200);
  assert.equal((await project.endOfIngestion(ingestion)).state, 'succeeded');
  assert.equal(await project.count('patient'), patients);
  const { state, resultFileId } = await project.endOfQuery(query);
  assert.equal(state, 'succeeded');
  assert.equal(await project.read(String(resultFileId)), 'count\n10000000\n');
  const { exitCode, signalCode } = service.server.process;
  assert.deepEqual([exitCode, signalCode], [null, null], 'it is the same process');
  await service.assertLakeWhole();
  await service.assertAuditWhole();
});

test('nothing that was acknowledged before PostgreSQL ended at once is missing afterwards', {
  skip,
}, async () => {
  const acknowledged: string[] = [];
  let goesOn = true;
  const making = Array.from({ length: 4 }, async (_, client) => {
    for (let number = 0; goesOn; number += 1) {
      const name = `project ${client} ${number}`;
      const { status, text } = await service.call('POST', '/v1/projects', { body: { name } });
      if (status === 200) acknowledged.push(name);
      else assert.equal(status, 503, text);
    }
  });
  for (let round = 0; round < 2; round += 1) {
    const count = acknowledged.length;
    await until(() => acknowledged.length > count + 8, 'projects are made');
    await database.stop();
    await database.start();
    await until(
      async () => (await service.call('GET', `/v1/projects/${project.id}`)).status === 200,
      'it answers',
    );
  }
  goesOn = false;
  await Promise.all(making);
  const rows = await service.rows(`select name from projects`);
  const found = new Set(rows.map(({ name }) => String(name)));
  assert.deepEqual(
    acknowledged.filter((name) => !found.has(name)),
    [],
  );
  await service.assertAuditWhole();
});
