/** Bounds of files in manifests, by which readers outside leave out files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IcebergTables } from './iceberg-tables.ts';
import { schemaOf, storedSchema } from './schema.ts';
import { longBytes, valueBoundsOf } from './value-bounds.ts';

const schema = schemaOf([
  { name: 'gene', type: 'string' },
  { name: 'position', type: 'int' },
  { name: 'patient_id', type: 'string' },
]);

test('a file has the least and the greatest value of each bounded column, by field id', async () => {
  const bounds = JSON.stringify({
    gene: { among: ['a', 'Z', 'ä'] },
    position: { from: -5, to: 2 ** 40 },
    patient_id: { among: ['0123456789abcdef'] },
    chromosome: { among: ['chr1'] },
  });
  const [found] = await valueBoundsOf([{ bounds }], { table: 'variant', schema });
  assert.deepEqual(found, {
    lower_bounds: [
      { key: 1, value: Buffer.from('Z') },
      { key: 2, value: longBytes(-5) },
    ],
    upper_bounds: [
      { key: 1, value: Buffer.from('ä') },
      { key: 2, value: longBytes(2 ** 40) },
    ],
  });
});

test('a file without bounds, or without values, may hold anything', async () => {
  const bounds = JSON.stringify({ gene: { among: [] } });
  assert.deepEqual(await valueBoundsOf([{}, { bounds }], { table: 'variant', schema }), [
    undefined,
    undefined,
  ]);
});

test('manifests hold the bounds, and the metadata the order of the rows', async () => {
  const shared: Buffer[] = [];
  const place = {
    share: async (bytes: Uint8Array, extension: string) => {
      shared.push(Buffer.from(bytes));
      return `s3://lake/${shared.length}.${extension}`;
    },
    addressOf: (key: string) => `s3://lake/${key}`,
  };
  const bounds = JSON.stringify({ chromosome: { among: ['chr7'] }, position: { from: 11, to: 999 } });
  const blob = { key: 'blob', size: 1, sha256: '' };
  const file = { blob, rowCount: 5, fileRows: 5, ordinal: 1, recordedAt: 0, bounds };
  const stored = storedSchema('variant');
  const of = { project: 'p', version: 1, table: 'variant', schema: stored, audience: '' };
  const { metadata } = await new IcebergTables(place).load(of, [file]);
  const idOf = (name: string) => stored.fields.find((one) => one.name === name)?.id ?? 0;
  const [order] = metadata['sort-orders'] as { fields: { 'source-id': number }[] }[];
  const ordered = order?.fields.map((one) => one['source-id']);
  assert.deepEqual(ordered, [idOf('chromosome'), idOf('position')]);
  // A pair of a map: zigzag field id, length, value.
  const pair = (name: string, value: Buffer) =>
    Buffer.concat([Buffer.from([idOf(name) * 2, value.length * 2]), value]);
  const manifest = shared.find((bytes) => bytes.includes('s3://lake/blob')) ?? Buffer.alloc(0);
  for (const value of [pair('chromosome', Buffer.from('chr7')), pair('position', longBytes(11))])
    assert.ok(manifest.includes(value));
});
