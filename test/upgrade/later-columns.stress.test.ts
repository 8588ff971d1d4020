/** Columns that tables of a release did not have yet, added over its frozen data folder: NULL in its rows, in every reader. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { tables } from '../../packages/formats/src/tables/index.ts';
import { MortalService } from '../crash/mortal-service.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { until, workLooksMs } from '../support/until.ts';
import { clockAt } from './frozen/clock.ts';
import { dataOf } from './frozen/place.ts';
import { type Expected, frozen, releases } from './frozen/release.ts';

const types = ['string', 'int', 'float', 'boolean', 'date'];
const later = types.map((type) => `later_${type}`);
const laterColumns = new URL('frozen/later-columns.ts', import.meta.url).href;

for (const release of releases)
  test(`columns added after ${release} are NULL in its rows, before and after a merge`, async (context) => {
    const data = frozen(release, 'sqlite');
    const { expected } = data;
    const service = await openLater(context, await dataOf(context, data, 'sqlite'), expected);
    const { items } = (await service.call('GET', '/v1/projects')).body;
    const { id } = items.find(({ name }: { name: string }) => name === 'Samples');
    const counts = await countsOf(service, expected, 'owner', id);
    assert.ok(counts.size > 10, `tables with rows: ${[...counts.keys()]}`);
    for (const sender of ['masked', 'limited', 'maskedAndLimited'])
      await countsOf(service, expected, sender, id);
    const project = TestProject.at(service.call, id);
    await project.take('later.ndjson', fhirText('later', 2, 1));
    const merged = () =>
      service.rows(
        `select 1 from lake_files where project_id = '${id}' and table_name = 'patient' and file_rows > 2 and removed_version is null`,
      );
    await until(
      async () => (await merged()).length > 0,
      'earlier and later patients are merged',
      workLooksMs,
    );
    const after = await countsOf(service, expected, 'owner', id);
    assert.equal(after.get('patient'), (counts.get('patient') ?? 0) + 2);
    assert.equal(after.get('variant'), counts.get('variant'));
    const opened = await service.call('GET', `/iceberg/v1/namespaces/${id}/tables/variant`);
    assert.equal(opened.status, 200, opened.text);
    const [{ fields }] = opened.body.metadata.schemas;
    const names = fields.map(({ name }: { name: string }) => name);
    assert.deepEqual(
      later.filter((name) => !names.includes(name)),
      [],
    );
    await service.assertLakeWhole();
  });

async function openLater(
  context: TestContext,
  { PLOIDY_DATA_DIR: folder, ...place }: Record<string, string>,
  { settings, madeAt }: Expected,
): Promise<MortalService> {
  const { NODE_OPTIONS, ...clock } = clockAt(madeAt);
  const service = await MortalService.startIn(folder, {
    ...{ ...settings, ...place, ...clock, PLOIDY_COMPACTION_FILES: '2' },
    NODE_OPTIONS: `${NODE_OPTIONS} --import=${laterColumns}`,
  });
  context.after(() => service.end());
  return service;
}

/** Rows of each table of the service that a caller sees; requires that the later columns are there, and NULL. */
async function countsOf(
  { call }: MortalService,
  { senders }: Expected,
  sender: string,
  projectId: string,
): Promise<Map<string, number>> {
  const project = TestProject.at(
    (method, path, options) => call(method, path, { ...senders[sender], ...options }),
    projectId,
  );
  const read = await project.call('GET', `/v1/analytics/data-lake/schema?datasetId=${projectId}`);
  assert.equal(read.status, 200, read.text);
  const listed: { table: string }[] = read.body.schemas;
  const names = listed.map(({ table }) => table).filter((table) => tables.has(table));
  const counted = names.map(
    (name) =>
      `SELECT '${name}' AS name, count(*) AS n, ${later.map((column) => `count(${column})`).join(' + ')} AS filled
        FROM ${name} WHERE later_string IS NULL AND later_date IS NULL`,
  );
  const counts = new Map<string, number>();
  for (const line of await project.ask(counted.join(' UNION ALL '))) {
    const [name = '', rows, filled] = line.split(',');
    assert.equal(filled, '0', `${sender}: ${name}`);
    counts.set(name, Number(rows));
  }
  return counts;
}
