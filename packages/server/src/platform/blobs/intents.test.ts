import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resetClock, setClock } from '../../../../../test/faults/set-clock.ts';
import { testOnRecords } from '../../../../../test/support/records.ts';
import { blobColumnsOf } from '../../admin/backup/copy-blobs.ts';
import type { Records } from '../records/index.ts';
import { migrations } from '../records/migrations/index.ts';
import { tablesAfter } from '../records/shape.ts';
import { addIntents, BlobIntents, blobColumns, whileKept } from './intents.ts';

/** Intents that note the keys whose bytes they remove. */
function opened(records: Records): { intents: BlobIntents; removed: string[] } {
  const removed: string[] = [];
  const intents = new BlobIntents(records, async ({ key }) => void removed.push(key));
  return { intents, removed };
}

const made = async (intents: BlobIntents): Promise<string> => (await intents.create(async () => ({}))).key;

function nameIt(records: Records, blob_key: string, number = 1): Promise<void> {
  const row = { upload_id: 'u', project_id: 'p', number, blob_key, size: 1, created_at: 0 };
  return records.transact(async (tx) => {
    await tx
      .insertInto('upload_parts')
      .values(row)
      .onConflict((taken) => taken.columns(['upload_id', 'number']).doUpdateSet(row))
      .execute();
  });
}

const segment = (id: string, blob_key: string) => ({
  ...{ id, project_id: 'p', table_name: 'patient', source_file_id: 'f', ingestion_id: 'i', blob_key },
  ...{ row_count: 1, size: 1, sha256: '', genome_build: null, source: '', ordinal: 0, file_rows: null },
  ...{ added_version: 1, removed_version: null, removed_at: null },
});

const left = async ({ read }: Records) =>
  (await read.selectFrom('blob_intents').select(['key', 'kind']).orderBy('key').execute()).map(
    ({ key, kind }) => `${kind} ${key}`,
  );

const noIntent = /A row names a blob that has no intent/;

testOnRecords(
  'the transaction that names a blob removes its intent, and a failed one leaves it',
  async ({ open }) => {
    const records = await open();
    const { intents } = opened(records);
    const key = await made(intents);
    const failed = records.transact(async (tx) => {
      await tx.insertInto('segments').values(segment('a', key)).execute();
      throw new Error('refused');
    });
    await assert.rejects(failed, /refused/);
    assert.deepEqual(await left(records), [`write ${key}`]);
    await nameIt(records, key);
    assert.deepEqual(await left(records), []);
  },
);

testOnRecords(
  'a process whose clock is a year ahead removes no bytes that others write or read',
  async ({ open }) => {
    const records = await open();
    // A SQLite store has no clock but that of its one process.
    if (records.dialect === 'sqlite') return;
    const { intents, removed } = opened(records);
    const key = await made(intents);
    setClock(366 * 86_400_000);
    try {
      await intents.sweep();
      assert.deepEqual([await left(records), removed], [[`write ${key}`], []]);
      resetClock();
      await whileKept(records, async () => {
        setClock(20 * 60_000);
        assert.equal(await intents.remove([key]), false, 'a backup reads');
      });
    } finally {
      resetClock();
    }
  },
);

testOnRecords('a row cannot name a blob whose removal has begun, or that has no intent', async ({ open }) => {
  const records = await open();
  const { intents, removed } = opened(records);
  const key = await made(intents);
  await intents.remove([key]);
  assert.deepEqual(removed, [key]);
  await assert.rejects(nameIt(records, key), noIntent);
  const held = await made(intents);
  await whileKept(records, () => intents.remove([held]));
  await assert.rejects(nameIt(records, held), noIntent);
});

testOnRecords(
  'a replaced blob is left to be removed in the transaction that replaces it',
  async ({ open }) => {
    const records = await open();
    const { intents, removed } = opened(records);
    const [before, after] = [await made(intents), await made(intents)];
    await nameIt(records, before);
    await nameIt(records, after);
    assert.deepEqual(await left(records), [`remove ${before}`]);
    await intents.sweep();
    assert.deepEqual([removed, await left(records)], [[before], []]);
  },
);

testOnRecords(
  'a blob of several rows goes with the last of them, also when two go at once',
  async ({ open }) => {
    const [records, other] = [await open(), await open()];
    const { intents, removed } = opened(records);
    const key = await made(intents);
    const rows = ['a', 'b', 'c'].map((id) => segment(id, key));
    await records.transact((tx) => tx.insertInto('segments').values(rows).execute());
    const remove = (from: Records, id: string) =>
      from.transact((tx) => tx.deleteFrom('segments').where('id', '=', id).execute());
    await remove(records, 'a');
    await intents.sweep();
    assert.deepEqual([removed, await left(records)], [[], []]);
    await Promise.all([remove(records, 'b'), remove(other, 'c')]);
    assert.deepEqual(await left(records), [`remove ${key}`]);
  },
);

testOnRecords(
  'a removal that fails is repeated by the sweep, and its key is not forgotten before',
  async ({ open }) => {
    const records = await open();
    let fails = true;
    const intents = new BlobIntents(records, async () => {
      if (fails) throw new Error('store away');
    });
    const key = await made(intents);
    await assert.rejects(intents.remove([key]), /store away/);
    assert.deepEqual(await left(records), [`remove ${key}`]);
    await assert.rejects(intents.sweep(), /store away/);
    fails = false;
    await intents.sweep();
    assert.deepEqual(await left(records), []);
  },
);

testOnRecords(
  'a failed write leaves neither bytes nor an intent, and fails with its own error',
  async ({ open }) => {
    const records = await open();
    const { intents, removed } = opened(records);
    await assert.rejects(
      intents.create(async (key) => Promise.reject(new Error(`no room for ${key}`))),
      /no room/,
    );
    assert.equal(removed.length, 1);
    assert.deepEqual(await left(records), []);
  },
);

testOnRecords(
  'nothing is removed while a backup reads, and the sweep removes it afterwards',
  async ({ open }) => {
    const [records, backup] = [await open(), await open()];
    const { intents, removed } = opened(records);
    const key = await made(intents);
    await whileKept(backup, async () => {
      assert.equal(await intents.remove([key]), false);
      await intents.sweep();
      assert.deepEqual(removed, []);
    });
    await intents.sweep();
    assert.deepEqual([removed, await left(records)], [[key], []]);
  },
);

testOnRecords(
  'a backup whose intent expired fails, and a killed one holds up no removal for long',
  async ({ open }) => {
    const records = await open();
    const { intents, removed } = opened(records);
    const key = await made(intents);
    const read = whileKept(records, async () => {
      await records.transact((tx) =>
        tx.updateTable('blob_intents').set({ expires_at: 0 }).where('kind', '=', 'read').execute(),
      );
      await intents.remove([key]);
    });
    await assert.rejects(read, /try again/);
    assert.deepEqual(removed, [key]);
  },
);

testOnRecords('the keys that no row names are found among many', async ({ open }) => {
  const records = await open();
  const { intents } = opened(records);
  const keys = Array.from({ length: 1200 }, (_, at) => at.toString(16).padStart(32, '0'));
  await records.transact(async (tx) => {
    await addIntents(tx, keys);
    const rows = [segment('a', keys[0] ?? ''), segment('b', keys[1199] ?? '')];
    await tx.insertInto('segments').values(rows).execute();
  });
  assert.deepEqual(await intents.unnamed(keys), keys.slice(1, -1));
});

test('every column that owns blobs has triggers', async () => {
  const owned = (await tablesAfter(migrations)).flatMap((table) =>
    blobColumnsOf(table).map(({ key }) => `${table.name}.${table.columns[key]}`),
  );
  // Results of statements are in no backup, and so not among the columns of one.
  const all = [...owned, 'trino_statements.blob_key'];
  assert.deepEqual(blobColumns.map(([table, column]) => `${table}.${column}`).sort(), all.sort());
});
