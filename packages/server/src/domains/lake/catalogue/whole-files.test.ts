import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import { addIntents } from '../../../platform/blobs/intents.ts';
import type { Records } from '../../../platform/records/index.ts';
import { publishSegments, replaceSegments, retireSource } from './catalogue.ts';
import { mergeInputs, visibleSegmentsOf } from './lake-files.ts';
import { hasLostRows, isWhole } from './whole-files.ts';

const project = 'p';
const blobOf = (key: string) => ({ key, size: 1, sha256: '' });

async function publish(records: Records, fileId: string, table = 'variant'): Promise<void> {
  await records.transact(async (tx) => {
    await addIntents(tx, [`of-${fileId}`]);
    const segments = [{ table, rowCount: 1, blob: blobOf(`of-${fileId}`), genomeBuild: null }];
    await publishSegments(tx, { project, fileId, ingestionId: fileId, segments });
  });
}

async function merge(records: Records, key: string): Promise<void> {
  const segments = await visibleSegmentsOf(records.read, project, await mergeInputs(records.read, project));
  await records.transact(async (tx) => {
    await addIntents(tx, [key]);
    await replaceSegments(tx, project, [{ segments, blob: blobOf(key), rowCount: segments.length }]);
  });
}

testOnRecords('a merged file is whole until a row in it is removed', async ({ open }) => {
  const records = await open();
  const whole = async (...keys: string[]) => {
    const found = await Promise.all(keys.map((key) => isWhole(records.read, project, key)));
    return keys.filter((_, at) => found[at]);
  };
  for (const file of ['a', 'b', 'c']) await publish(records, file);
  await merge(records, 'merged');
  const replaced = ['of-a', 'of-b', 'of-c'];
  assert.deepEqual(await whole(...replaced, 'merged', 'unknown'), [...replaced, 'merged']);
  assert.equal(await isWhole(records.read, 'another', 'merged'), false);
  await records.transact((tx) => retireSource(tx, 'a'));
  assert.deepEqual(await whole(...replaced, 'merged'), []);
  await merge(records, 'without');
  assert.deepEqual(await whole('merged', 'without'), ['without']);
});

testOnRecords('rows of another table, or rows that are added, are no lost rows', async ({ open }) => {
  const records = await open();
  await publish(records, 'a');
  await publish(records, 'b', 'fusion');
  const lost = (version: number) => hasLostRows(records.read, project, { version, tables: ['variant'] });
  assert.equal(await lost(2), false);
  await records.transact((tx) => retireSource(tx, 'b'));
  await publish(records, 'c');
  assert.equal(await lost(2), false);
  await publish(records, 'a');
  assert.equal(await lost(4), true, 'a file that is ingested again replaces its rows');
  assert.equal(await lost(5), false);
});
