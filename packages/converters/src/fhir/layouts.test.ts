import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
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
  'NDJSON files with byte order marks, joined': `\ufeff${lines(resources.slice(0, 2))}\r\n\ufeff${lines(resources.slice(2))}`,
  'NDJSON files with byte order marks and without a last line feed, joined': resources
    .map((resource) => `\ufeff${JSON.stringify(resource)}`)
    .join(''),
  'a JSON text sequence': resources.map((resource) => `\x1e${JSON.stringify(resource)}\n`).join(''),
  'a pretty-printed JSON text sequence': resources
    .map((resource) => `\x1e${JSON.stringify(resource, undefined, 2)}\n`)
    .join(''),
  'NDJSON with NULs at its end': `${lines(resources)}\n\0\0\0\0`,
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
    ...[...tables.values()].flatMap(({ fhirTypes }) =>
      fhirTypes.map((resourceType) => ({ resourceType, id: 'x', dosageInstruction: [{ text: 'x' }] })),
    ),
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

describe('a source that is declared incomplete', () => {
  const searched = (
    types: object[],
    { total, next, self = 'http://e.org/self' }: { total?: number; next?: string; self?: string },
  ) => ({
    ...{ resourceType: 'Bundle', type: 'searchset', ...(total !== undefined && { total }) },
    link: [{ relation: 'self', url: self }, ...(next === undefined ? [] : [{ relation: 'next', url: next }])],
    entry: types.map((resource) => ({ resource, search: { mode: 'match' } })),
  });
  const warned = async (...pages: object[]) => {
    const found: string[] = [];
    for (const layout of [
      lines(pages),
      JSON.stringify(pages, undefined, 1),
      pages.map((one) => JSON.stringify(one, undefined, 1)).join('\n'),
    ])
      found.push((await fixture.convert(layout)).warnings.map(({ message }) => message).join());
    assert.ok(
      found.every((one) => one.slice(0, 60) === found[0]?.slice(0, 60)),
      found.join('\n'),
    );
    return found[0] ?? '';
  };
  const [one, two] = [resources.slice(0, 2), resources.slice(2)];

  test('a page of a search is ingested with a warning, unless its other pages are there', async () => {
    assert.match(
      await warned(searched(one, { total: 120, next: 'http://e.org/2' })),
      /not all pages.* 2 entries of 120/,
    );
    assert.match(await warned(searched(one, { next: 'http://e.org/2' })), /not all pages/);
    assert.match(await warned(searched(one, { total: 3 })), /not all pages/);
    const second = searched(two, { total: 4, self: 'http://e.org/2' });
    assert.equal(await warned(searched(one, { total: 4, next: 'http://e.org/2' }), second), '');
    assert.equal(
      await warned(searched(one, { next: 'http://e.org/2' }), searched(two, { self: 'http://other.org' })),
      '',
    );
    assert.equal(await warned(searched(resources, { total: 4 })), '');
    // Included resources are entries beside the results.
    assert.equal(await warned(searched(resources, { total: 2 })), '');
  });

  test('counts entries without a resource, as a server answers a transaction', async () => {
    const answer = bundle('transaction-response', [
      { response: { status: '201 Created', location: 'Patient/1/_history/1' } },
      { resource: patient('a'), response: { status: '200' } },
    ]);
    for (const text of [JSON.stringify(answer), JSON.stringify(answer, undefined, 2)]) {
      const { warnings, rows } = await fixture.convert(text);
      assert.match(warnings.map(({ message }) => message).join(), /^1 entries have no resource/);
      assert.equal(rows('patient').length, 1);
    }
  });

  test('the manifest of an export is refused: its files are what counts', async () => {
    const manifest = {
      transactionTime: '2020-01-01T00:00:00Z',
      output: [{ type: 'Patient', url: 'http://e.org/1' }],
    };
    await assert.rejects(fixture.convert(JSON.stringify(manifest)), /manifest of a Bulk Data export/);
  });

  test('YAML is refused, with a command that makes JSON of it', async () => {
    for (const text of ['id: p1\nsubject:\n  id: x\n', '---\nsubject:\n  id: x\n', '# made\nid: p1\n'])
      await assert.rejects(fixture.convert(text), /YAML.*yq/);
  });
});
