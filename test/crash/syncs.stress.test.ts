import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EhrProject, ehrSettings } from '../../packages/server/src/domains/ehrs/ehr-project.fixture.ts';
import { smallResources } from '../support/fhir/sample-resources.ts';
import { until } from '../support/until.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';

let service: MortalService;
const made: EhrProject[] = [];

before(async () => {
  service = await MortalService.start(ehrSettings);
});
after(async () => {
  for (const { server } of made) await server.stop();
  await service.end();
});

async function make(
  ...[name, options]: [string, Parameters<typeof EhrProject.make>[2]]
): Promise<EhrProject> {
  const ehr = await EhrProject.make(service.call, name, options);
  made.push(ehr);
  return ehr;
}

test('a service that is killed in the middle of a search continues with the next page, and fetches none twice', async () => {
  const ehr = await make('Search', { resources: smallResources(40, 1, 'killed'), pageSizeMax: 4 });
  ehr.server.fail(/Patient.*_offset=8/, 'silence');
  ehr.server.fail(/Observation.*_offset=16/, 'silence');
  const id = await ehr.begin();
  for (const pages of [2, 14]) {
    await until(async () => (await ehr.sync(id)).progress.pages === pages, `${pages} pages are kept`);
    await until(() => ehr.server.seen.at(-1)?.status === 0, 'the next one is asked for');
    await service.kill();
    await service.restart();
  }
  const sync = await ehr.end(id);
  assert.deepEqual([sync.state, sync.counts], ['succeeded', { Patient: 40, Observation: 40 }]);
  const urls = ehr.server.answered(/GET (Patient|Observation)/).map(({ url }) => url);
  assert.deepEqual(urls, [...new Set(urls)], 'no page was fetched twice');
  assert.equal(urls.length, 20);
  assert.equal(ehr.server.answered(/metadata/).length, 1);
  assert.deepEqual(await ehr.rows('select count(*), count(distinct id) from observation'), ['40,40']);
  await service.assertAuditWhole();
  await untilSwept(service);
});

test('a service that is killed while it waits for an export, or fetches its files, continues the same export', async () => {
  const ehr = await make('Export', { resources: smallResources(5, 2, 'exported'), export: 'system' });
  ehr.server.exports.busy = 1;
  ehr.server.fail(/GET exports\/export-1$/, 'silence');
  ehr.server.fail(/GET exports\/export-1\/Observation/, 'silence');
  const id = await ehr.begin();
  for (const match of [/export-1$/, /export-1\/Observation/]) {
    await until(() => match.test(ehr.server.seen.at(-1)?.url ?? ''), String(match));
    await service.kill();
    await service.restart();
  }
  const sync = await ehr.end(id);
  assert.deepEqual([sync.state, sync.counts], ['succeeded', { Patient: 5, Observation: 10 }]);
  assert.equal(ehr.server.answered(/export-1\/Patient/).length, 1);
  assert.equal(ehr.server.answered(/\$export/).length, 1);
  assert.deepEqual(ehr.server.exports.ended, ['export-1']);
  await untilSwept(service);
});
