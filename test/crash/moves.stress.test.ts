import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { untilSwept } from './disk.ts';
import { ifAnswered, MortalService } from './mortal-service.ts';

/** When the service dies, as part of the time that a move takes. */
const moments = [0.1, 0.4, 0.7, 0.9, 1.1];
const patients = 400;

let service: MortalService;
let projects: [TestProject, TestProject];

before(async () => {
  service = await MortalService.start();
  projects = [await TestProject.make(service.call, 'Left'), await TestProject.make(service.call, 'Right')];
});
after(() => service.end());

test('a crash at any moment of a move leaves the file with all of its rows in exactly one project', async () => {
  const text = fhirText('moved', patients, 3);
  const id = await projects[0].take('moved.ndjson', text);
  const move = async (datasetId: string, name: string): Promise<boolean> => {
    const reply = await service.call('PATCH', `/v1/files/${id}`, { body: { datasetId, name } });
    assert.equal(reply.status, 200, reply.text);
    return true;
  };
  const place = async (): Promise<{ datasetId: string; name: string }> =>
    (await service.call('GET', `/v1/files/${id}?include=metadata`)).body;
  const other = (datasetId: string): string =>
    datasetId === projects[0].id ? projects[1].id : projects[0].id;

  const startedAt = performance.now();
  await move(projects[1].id, 'there.ndjson');
  const durationMs = performance.now() - startedAt;
  for (const [index, moment] of moments.entries()) {
    const before = await place();
    const [target, name] = [other(before.datasetId), `round-${index}.ndjson`];
    const moving = ifAnswered(move(target, name));
    await service.dieAfter(durationMs * moment);
    const done = await moving;

    const now = await place();
    const moved = now.datasetId === target;
    assert.ok(moved || !done, 'what was acknowledged stays');
    assert.equal(now.name, moved ? name : before.name, 'name and place change together');
    assert.deepEqual(visibleRows(), [[now.datasetId, patients]], `rows of round ${index}`);
    for (const { id } of projects) {
      const listed = await service.call('GET', `/v1/files?datasetId=${id}`);
      assert.equal(listed.body.items.length, id === now.datasetId ? 1 : 0);
    }
    assert.equal((await service.call('GET', `/v1/files/${id}`)).text, text);
    await untilSwept(service);
  }
  const last = await place();
  for (const project of projects) {
    assert.equal(await project.count('patient'), project.id === last.datasetId ? patients : 0);
  }
  await service.assertAuditWhole();
});

/** Rows of the table `patient` by project, as queries that begin now would see them. */
function visibleRows(): [string, number][] {
  const sql = `select project_id, sum(row_count) as rows from segments
    where removed_version is null and table_name = 'patient' group by project_id`;
  const found = service.look((records) => records.prepare(sql).all());
  return found.map((row) => [String(row['project_id']), Number(row['rows'])]);
}
