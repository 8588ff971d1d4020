import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { keptTables } from '../../packages/server/src/app/maintenance/removers.ts';
import { type Call, TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { People } from '../support/people.ts';
import { until } from '../support/until.ts';
import { crowd } from './crowd.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';

let service: MortalService;

before(async () => {
  service = await MortalService.start();
});
after(() => service.end());

/** Returns a project with one of everything, and rows in the lake. */
async function fill(call: Call, name: string): Promise<TestProject> {
  const project = await TestProject.make(call, name);
  await project.take('patients.ndjson', fhirText(name, 7, 2));
  await project.ask('select count(*) from patient');
  const waiting = { name: 'waiting.bin', datasetId: project.id };
  assert.equal((await call('POST', '/v1/files', { body: waiting })).status, 200);
  return project;
}

/** Everything that the users of a project can see of it. */
async function sightOf(call: Call, project: TestProject): Promise<string[]> {
  const list = await call('GET', `/v1/files?datasetId=${project.id}&name=patients`);
  const bytes = await call('GET', `/v1/files/${list.body.items[0].id}`);
  return [list.text, bytes.text, ...(await project.ask('select * from observation order by all'))];
}

/** Progress of a removal; `undefined` before its start. */
function progress(id: string): { state: string; removed: number } | undefined {
  const row = service.look((records) =>
    records.prepare('select state, counts from removals where id = ?').get(id),
  );
  if (!row) return undefined;
  return { state: String(row['state']), removed: sum(JSON.parse(String(row['counts']))) };
}

/** Rows of a project or account in every table, but for those that are kept: `table: rows`. */
function rowsOf(column: 'project_id' | 'account_id', id: string): Record<string, number> {
  return service.look((records) => {
    const tables = records.prepare("select name from sqlite_schema where type = 'table'").all();
    const owned = tables
      .map((row) => String(row['name']))
      .filter((name) => !Object.hasOwn(keptTables, name))
      .filter((name) =>
        records
          .prepare(`pragma table_info(${name})`)
          .all()
          .some((info) => info['name'] === column),
      );
    const counts = owned.map((name): [string, number] => {
      const row = records.prepare(`select count(*) as n from ${name} where ${column} = ?`).get(id);
      return [name, Number(row?.['n'])];
    });
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  });
}

/** Kills the service so many times while the project's rows go, each time further on; then lets it finish. */
async function killOften(kills: number, project: string, thing: string): Promise<void> {
  await service.kill();
  const total = sum(rowsOf('project_id', project)) + (progress(project)?.removed ?? 0);
  const seen: number[] = [];
  const assertFurther = (): void => {
    const now = progress(project);
    assert.equal(now?.state, 'running', `it is in the middle: ${seen.join(' ')} of ${total}`);
    assert.ok(now.removed > (seen.at(-1) ?? -1), `each time further on: ${seen.join(' ')}, ${now.removed}`);
    seen.push(now.removed);
  };
  assertFurther();
  while (seen.length < kills) {
    const left = total - (seen.at(-1) ?? 0);
    const wanted = total - left * ((kills - seen.length) / (kills - seen.length + 1));
    const enough = () => (progress(project)?.removed ?? 0) >= wanted;
    await service.liveUntil(enough, `${wanted} of ${total} rows are removed`);
    assertFurther();
  }
  await service.restart();
  await until(() => progress(thing)?.state === 'done', 'the removal finishes by itself');
}

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

test('a removal of a project that is killed five times in the middle finishes and touches no other', async () => {
  const { call } = service;
  const neighbour = await fill(call, 'neighbour');
  const doomed = await fill(call, 'doomed');
  const before = await sightOf(call, neighbour);
  const rowsBefore = rowsOf('project_id', neighbour.id);
  await service.kill();
  crowd(service.folder, doomed.id);
  await service.restart();
  const reply = await call('DELETE', `/v1/projects/${doomed.id}?force=true`);
  assert.equal(reply.status, 204, reply.text);
  await killOften(5, doomed.id, doomed.id);
  assert.equal((await call('GET', `/v1/projects/${doomed.id}`)).status, 404);
  assert.deepEqual(rowsOf('project_id', doomed.id), {});
  assert.deepEqual(rowsOf('project_id', neighbour.id), { ...rowsBefore, files: 2 + 1, queries: 1 + 1 });
  assert.deepEqual(await sightOf(call, neighbour), before);
  await untilSwept(service);
  await service.assertAuditWhole();
});

test('a removal of an account that is killed three times in the middle finishes and touches no other', async () => {
  const neighbour = await fill(service.call, 'main');
  const before = await sightOf(service.call, neighbour);
  const people = await People.open({ PLOIDY_DATA_DIR: service.folder });
  const { key, account } = await people.owner('doomed');
  await people.close();
  const call: Call = (method, path, options) => service.call(method, path, { ...options, key, account });
  const project = await fill(call, 'project');
  await service.kill();
  crowd(service.folder, project.id);
  await service.restart();
  assert.equal((await call('DELETE', `/v1/accounts/${account}?force=true`)).status, 204);
  // The rows of its project go as those of any: where between them it is killed was tried above.
  await killOften(3, project.id, account);
  assert.equal((await call('GET', '/v1/accounts')).status, 401);
  assert.deepEqual(rowsOf('account_id', account), {});
  assert.deepEqual(rowsOf('project_id', project.id), {});
  assert.deepEqual(await sightOf(service.call, neighbour), before);
  assert.notDeepEqual(rowsOf('account_id', 'main'), {});
  await untilSwept(service);
  await service.assertAuditWhole();
});
