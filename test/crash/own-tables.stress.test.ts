import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';

const rows = 60_000;
/** When the service dies, as part of the time that an ingestion takes. */
const moments = [0, 0.3, 0.6, 0.9];

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start();
  project = await TestProject.make(service.call, 'Own tables');
});
after(() => service.end());

/** Returns a file of a round; each round has a column that the others lack. */
function csvOf(round: number): string {
  const lines = Array.from({ length: rows }, (_, at) => `p-${at},${round},${at % 7}`);
  return `${[`patient_id,round,only_${round}`, ...lines].join('\n')}\n`;
}

async function begin(round: number): Promise<string> {
  const fileId = await project.upload('list.csv', csvOf(round));
  return project.startIngestion(fileId, { type: 'table', table: { name: 'biobank' } });
}

async function finish(id: string): Promise<void> {
  const end = await project.endOfIngestion(id);
  assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
}

test('a crash while a table is replaced shows the old table or the new one, with its own columns', async () => {
  const startedAt = performance.now();
  await finish(await begin(0));
  const durationMs = performance.now() - startedAt;
  for (const [index, moment] of moments.entries()) {
    const round = index + 1;
    const id = await begin(round);
    await service.dieAfter(durationMs * moment);
    const [seen = ''] = await project.ask(
      'SELECT any_value(round), count(DISTINCT round), count(*) FROM biobank',
    );
    assert.ok([`${index},1,${rows}`, `${round},1,${rows}`].includes(seen), seen);
    await finish(id);
    assert.deepEqual(await project.ask(`SELECT count(only_${round}) FROM biobank`), [String(rows)]);
    const path = `/v1/analytics/data-lake/schema/biobank?datasetId=${project.id}`;
    const { body } = await project.call('GET', path);
    const columns = body.schema.columns.map(({ name }: { name: string }) => name);
    assert.deepEqual(columns, ['patient_id', 'round', `only_${round}`]);
    await untilSwept(service);
  }
  await service.assertAuditWhole();
});
