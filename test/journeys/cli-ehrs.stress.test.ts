/** `ploidy ehrs`: EHR systems and their syncs at a terminal. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ehrSettings } from '../../packages/server/src/domains/ehrs/ehr-project.fixture.ts';
import { commandLine } from '../support/command-line.ts';
import { smallResources } from '../support/fhir/sample-resources.ts';
import { TestFhirServer } from '../support/fhir/server.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const { start, run, json, remove } = commandLine();
let service: TestServer;
let hospital: TestFhirServer;

before(async () => {
  service = await startServer({ settings: ehrSettings });
  hospital = await TestFhirServer.start({ resources: smallResources(3, 2, 'ward'), pageSizeMax: 2 });
  await json('login', '--first-run', service.folder, '--address', service.baseUrl);
  await json('projects', 'create', 'Ward', '--use');
  await make('Ward seven', { schedule: { cron: '0 3 * * *', datasetId: await projectId() } });
});
after(async () => {
  await hospital.stop();
  await service.stop();
  remove();
});

const projectId = async (): Promise<string> => (await json('projects', 'ls'))[0].id;

async function make(name: string, more: object = {}): Promise<void> {
  const made = await fetch(`${service.baseUrl}/v1/ehrs`, {
    method: 'POST',
    headers: {
      authorization: service.apiKey,
      'service-account': service.account,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name, apiBaseUrl: hospital.url, ...more }),
  });
  assert.equal(made.status, 201, await made.text());
}

test('systems are listed with their addresses and schedules', async () => {
  const { code, out } = await run('ehrs', 'ls');
  assert.equal(code, 0);
  assert.match(out, /Ward seven/);
  assert.ok(out.includes(hospital.url));
  assert.match(out, /0 3 \* \* \*/);
  const [ehr] = await json('ehrs', 'ls');
  assert.equal(ehr.name, 'Ward seven');
});

test('a sync waits for its rows and counts them by type; the list of syncs names who started each', async () => {
  const sync = await json('ehrs', 'sync', 'Ward seven');
  assert.deepEqual([sync.state, sync.counts], ['succeeded', { Patient: 3, Observation: 6 }]);
  const { rows } = await json('query', 'select count(*) as n from observation');
  assert.deepEqual(rows, [{ n: 6 }]);
  const again = await run('ehrs', 'sync', 'Ward seven', '--full');
  assert.equal(again.code, 0, again.err);
  assert.match(again.out, /succeeded\n {2}Patient {2}3\n {2}Observation {2}6/);
  const listed: { id: string; state: string }[] = await json('ehrs', 'syncs', 'Ward seven');
  assert.deepEqual([listed.length, listed.at(-1)?.id, listed.at(-1)?.state], [2, sync.id, 'succeeded']);
});

test('a sync that fails ends the command with what is wrong', async () => {
  await make('Elsewhere', { apiBaseUrl: `${hospital.url}/nothing` });
  const { code, err } = await run('ehrs', 'sync', 'Elsewhere');
  assert.notEqual(code, 0);
  assert.notEqual(err.trim(), '');
});

test('with --no-wait it is only begun, and Ctrl-C cancels one that is waited for', async () => {
  hospital.fail(/Observation/, 'silence');
  const { child, ended } = start(['ehrs', 'sync', 'Ward seven', '--full']);
  await until(() => hospital.seen.at(-1)?.status === 0, 'it asks for observations');
  child.kill('SIGINT');
  assert.notEqual((await ended).code, 0);
  const newest = async () => (await json('ehrs', 'syncs', 'Ward seven'))[0];
  await until(async () => (await newest()).state === 'cancelled', 'the sync is cancelled');
  const begun = await json('ehrs', 'sync', 'Ward seven', '--no-wait');
  assert.ok(['queued', 'running', 'ingesting'].includes(begun.state), begun.state);
  await until(async () => (await newest()).state === 'succeeded', 'it goes on by itself');
});

test('missing and ambiguous systems are refused with a reason', async () => {
  const missing = await run('ehrs', 'syncs', 'Nowhere');
  assert.match(missing.err, /no EHR system Nowhere/);
  await make('Ward seven');
  const several = await run('ehrs', 'sync', 'Ward seven');
  assert.match(several.err, /Several EHR systems/);
  assert.notEqual(missing.code, several.code);
});
