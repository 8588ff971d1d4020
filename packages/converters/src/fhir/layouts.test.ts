import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hasWords, tables } from '@ploidy/formats';
import { ConversionFixture } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const patient = (id: string) => ({ resourceType: 'Patient', id, birthDate: '2000-01-01' });
const observation = (id: string, subject = 'Patient/a') => ({
  resourceType: 'Observation',
  id,
  subject: { reference: subject },
  valueQuantity: { value: 1 },
});
const resources = [patient('a'), observation('1'), patient('b'), observation('2', 'Patient/b')];
const bundle = (type: string, entries: object[]) => ({ resourceType: 'Bundle', type, entry: entries });
const entries = resources.map((resource) => ({ resource }));
const lines = (values: object[]) => values.map((value) => JSON.stringify(value)).join('\n');

const layouts: Record<string, string | Uint8Array> = {
  'NDJSON of mixed types': lines(resources),
  'NDJSON with blank lines, blanks and CR LF': `\n${resources.map((r) => ` ${JSON.stringify(r)} \r\n\r\n`).join('')}`,
  'NDJSON with a byte order mark': `\ufeff${lines(resources)}`,
  'NDJSON in gzip': gzipSync(lines(resources)),
  'NDJSON in gzip of several members': Buffer.concat([
    gzipSync(`${lines(resources.slice(0, 2))}\n`),
    gzipSync(lines(resources.slice(2))),
  ]),
  'NDJSON of Bundles': lines([bundle('batch', entries.slice(0, 3)), bundle('collection', entries.slice(3))]),
  'a list': JSON.stringify(resources),
  'a pretty-printed list': JSON.stringify(resources, undefined, 2),
  'pretty-printed resources one after the other': resources
    .map((r) => JSON.stringify(r, undefined, '\t'))
    .join('\n'),
  'a Bundle inside a Bundle': JSON.stringify(bundle('collection', [{ resource: bundle('batch', entries) }])),
  'a pretty-printed Bundle in gzip': gzipSync(JSON.stringify(bundle('document', entries), undefined, 4)),
  'a Bundle whose type comes last': JSON.stringify({ entry: entries, type: 'batch', resourceType: 'Bundle' }),
};
for (const type of [
  'collection',
  'transaction',
  'transaction-response',
  'searchset',
  'batch',
  'batch-response',
  'document',
  'message',
  'history',
]) {
  layouts[`a Bundle of type ${type}`] = JSON.stringify(bundle(type, entries));
}
for (const [name, content] of Object.entries(layouts)) {
  test(`${name} gives the same resources as every other layout`, async () => {
    const { rows, warnings, progress } = await fixture.convert(content);
    assert.deepEqual(
      rows('observation').map((row) => [row['patient_id'], row['id'], row['data']]),
      [
        ['a', '1', JSON.stringify(resources[1])],
        ['b', '2', JSON.stringify(resources[3])],
      ],
    );
    assert.deepEqual(
      rows('patient').map((row) => row['data']),
      [JSON.stringify(resources[0]), JSON.stringify(resources[2])],
    );
    assert.equal(rows('_resource').length, 4);
    assert.deepEqual(warnings, []);
    const size = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
    assert.equal(progress.at(-1)?.[0], size);
  });
}

test('a single resource is read, pretty-printed or not, with or without a line end', async () => {
  for (const content of [
    lines([patient('a')]),
    JSON.stringify(patient('a'), undefined, 2),
    `${lines([patient('a')])}\n`,
  ]) {
    const { rows } = await fixture.convert(content);
    assert.deepEqual(
      rows('patient').map((row) => row['patient_id']),
      ['a'],
    );
  }
});

test('tables have the columns of the catalogue in its order, then our own', async () => {
  const { tables: made } = await fixture.convertResources(
    ...resources,
    { resourceType: 'Basic', id: 'x', code: { coding: [{ code: 'c' }] } },
    { resourceType: 'MedicationRequest', id: 'm', dosageInstruction: [{ text: 'x' }] },
    ...[
      'AllergyIntolerance',
      'Condition',
      'Encounter',
      'Immunization',
      'Media',
      'MolecularSequence',
      'Procedure',
      'Specimen',
    ].map((resourceType) => ({
      resourceType,
      id: 'x',
    })),
  );
  const engineTypes = { string: 'VARCHAR', int: 'BIGINT', float: 'DOUBLE', boolean: 'BOOLEAN', date: 'DATE' };
  const clinical = [...tables.values()].filter(({ area }) => area === 'clinical').map(({ name }) => name);
  assert.deepEqual(
    made
      .map(({ table }) => table)
      .filter((name) => !name.startsWith('_'))
      .toSorted(),
    clinical.toSorted(),
  );
  for (const { table, path } of made) {
    // Its file names the resource in columns of its own.
    if (table.startsWith('_') || table === 'coding') continue;
    const found = await fixture.sql.rows(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${path}')`,
    );
    const expected = tables.get(table)?.columns.map(({ name, type }) => [name, engineTypes[type]]) ?? [];
    assert.deepEqual(
      found.map((column) => [column['column_name'], column['column_type']]),
      [
        ...expected,
        ...(hasWords(tables.get(table) ?? { columns: [] }) ? [['_words', 'VARCHAR']] : []),
        ['_resource_type', 'VARCHAR'],
        ['_resource_id', 'VARCHAR'],
        ['_last_updated', 'TIMESTAMP'],
        ...(table === 'medication' ? [['_medication_id', 'VARCHAR']] : []),
      ],
    );
  }
});

test('rows are sorted by patient and id, those without a patient last', async () => {
  const ids = Array.from({ length: 500 }, (_, index) => ({
    ...observation(`o${(index * 7919) % 500}`, `Patient/p${(index * 31) % 7}`),
    ...(index % 50 === 0 ? { subject: undefined } : {}),
  }));
  const { rows } = await fixture.convertResources(...ids);
  const keys = rows('observation').map((row) => `${row['patient_id'] ?? '~'} ${row['id']}`);
  assert.equal(keys.length, 500);
  assert.deepEqual(keys, keys.toSorted());
});

test('the engine is left as it was found', async () => {
  await fixture.convertResources(patient('a'));
  assert.deepEqual(await fixture.sql.rows("SELECT current_setting('threads') AS threads"), [{ threads: 2n }]);
});

test('nothing but the tables is left in the output folder', async () => {
  const { files, tables: made } = await fixture.convertResources(...resources);
  assert.deepEqual(files.toSorted(), made.map(({ table }) => `${table}.parquet`).toSorted());
});
