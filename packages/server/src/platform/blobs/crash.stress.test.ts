import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { importFrom, startChild } from '../../../../../test/support/child.ts';
import { prepareSqlite } from '../../../../../test/support/prepared-records.ts';
import { silent } from '../../../../../test/support/records.ts';
import { startS3 } from '../../../../../test/support/s3/server.ts';
import { until } from '../../../../../test/support/until.ts';
import { storeSettings } from '../../config/blobs.ts';
import { readConfig } from '../../config/config.ts';
import { openRecords } from '../records/index.ts';
import { openBlobs } from './index.ts';

const here = (path: string) => importFrom(path, import.meta.url);
const bytes = (length: number) => `Buffer.alloc(${length}, 7)`;

/** Puts, joins, names, un-names and removes blobs without end, and sends the key of each that stays named. */
const writer = (settings: Record<string, string>) => `
  const { Readable } = await import('node:stream');
  const { openBlobs } = ${here('./index.ts')};
  const { storeSettings } = ${here('../../config/blobs.ts')};
  const { readConfig } = ${here('../../config/config.ts')};
  const { openRecords } = ${here('../records/index.ts')};
  const config = readConfig(${JSON.stringify(settings)});
  const silent = { info() {}, warn() {}, error() {} };
  const records = await openRecords({ folder: config.dataFolder, log: silent });
  const blobs = await openBlobs(storeSettings(config), records);
  const endless = new Readable({ read() {} });
  endless.push(${bytes(2_000_000)});
  blobs.put(endless).catch(() => undefined);
  const name = (blob_key, number) => records.transact((tx) =>
    tx.insertInto('upload_parts')
      .values({ upload_id: 'u', project_id: 'p', number, blob_key, size: 1, created_at: 0 })
      .execute());
  let number = 0;
  const work = async (large) => {
    for (;;) {
      const mine = (number += 1);
      const { key } = await blobs.put(Readable.from([${bytes(300_000)}, ...(large ? [${bytes(18_000_000)}] : [])]));
      const joined = await blobs.join([key, key]);
      if (mine % 3 === 0) {
        await blobs.remove([key, joined.key]);
        continue;
      }
      await name(joined.key, mine);
      if (mine % 3 === 1) {
        process.send(joined.key);
        continue;
      }
      await records.transact((tx) => tx.deleteFrom('upload_parts').where('number', '=', mine).execute());
      await blobs.remove([joined.key]);
    }
  };
  await Promise.all([work(false), work(false), work(true)]);
`;

interface Place {
  settings: Record<string, string>;
  /** Names of all files, or keys of all objects, and of unfinished uploads that hold bytes. */
  present(): string[];
}

async function killAndSweep(context: TestContext, { settings, present }: Place): Promise<void> {
  const child = startChild(context, writer(settings));
  const acknowledged: string[] = [];
  child.process.on('message', (key) => acknowledged.push(String(key)));
  await until(() => acknowledged.length > 3, 'blobs are named');
  await child.kill();

  const config = readConfig(settings);
  const records = await openRecords({ folder: config.dataFolder, log: silent });
  const blobs = await openBlobs(storeSettings(config), records);
  await blobs.recover();
  await blobs.sweep();
  const rows = await records.read.selectFrom('upload_parts').select('blob_key').execute();
  const named = rows.map(({ blob_key }) => blob_key).sort();
  for (const key of acknowledged) assert.ok(named.includes(key), `${key} was acknowledged`);
  for (const key of named) {
    const { length } = await buffer(await blobs.open(key));
    assert.ok([600_000, 36_600_000].includes(length), `${key} has ${length} bytes`);
  }
  assert.deepEqual(present().sort(), named);
  assert.deepEqual(await records.read.selectFrom('blob_intents').selectAll().execute(), []);
  await records.transact((tx) => tx.deleteFrom('upload_parts').execute());
  await blobs.sweep();
  assert.deepEqual(present(), []);
  await blobs.close();
  await records.close();
}

function dataFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-blobs-crash-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  prepareSqlite({ dataFolder: folder, databaseUrl: '' });
  return folder;
}

test('a killed writer leaves what rows name, whole, and a sweep removes all else (disk)', async (context) => {
  const folder = dataFolder(context);
  const present = () =>
    readdirSync(join(folder, 'blobs'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  for (let round = 0; round < 4; round += 1)
    await killAndSweep(context, { settings: { PLOIDY_DATA_DIR: folder }, present });
});

test('a killed writer leaves what rows name, whole, and a sweep removes all else (s3)', async (context) => {
  const server = await startS3();
  context.after(() => server.close());
  const folder = dataFolder(context);
  const present = () => [
    ...[...server.bucket.objects.keys()].map((key) => key.slice(key.lastIndexOf('/') + 1)),
    ...[...server.bucket.uploads].flatMap(([id, { parts }]) => (parts.size > 0 ? [id] : [])),
    ...readdirSync(join(folder, 'blobs', 'scratch')),
  ];
  for (let round = 0; round < 4; round += 1)
    await killAndSweep(context, { settings: { ...server.settings, PLOIDY_DATA_DIR: folder }, present });
});
