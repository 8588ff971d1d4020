import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { openTestApp } from '../../../test/support/app.ts';
import { postgresSkip, startPrepared } from '../../../test/support/postgres.ts';
import { testOnRecords } from '../../../test/support/records.ts';
import { startS3 } from '../../../test/support/s3/server.ts';
import { runAdmin } from './admin-command.ts';
import { createApp } from './app.ts';
import { blobSweep } from './blob-sweep.ts';
import { readConfig } from './config.ts';
import { storeSettings } from './config-blobs.ts';
import { openCore } from './core.ts';
import { requireOwnBlobs } from './foreign-blobs.ts';
import { openLog } from './log.ts';
import { type Blobs, diskBlobs, openBlobs } from './platform/blobs/index.ts';
import { testOnStores } from './platform/blobs/stores.fixture.ts';
import { openRecords, type Records } from './platform/records/index.ts';

function newFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-foreign-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A data folder with bytes that its records do not know: they are elsewhere, or were lost. */
async function folderOfOthers(context: TestContext, more: Record<string, string> = {}) {
  const folder = newFolder(context);
  const config = readConfig({ PLOIDY_DATA_DIR: folder, PLOIDY_PORT: '0', PLOIDY_IDLE_WORKERS: '0', ...more });
  const blobs = await openBlobs(storeSettings(config));
  const { key } = await blobs.put(Readable.from(['somebody needs this']), { sizeMax: 100 });
  await blobs.close();
  const stillThere = async (): Promise<string> => {
    const again = await openBlobs(storeSettings(config));
    try {
      return (await (await again.open(key)).toArray()).join('');
    } finally {
      await again.close();
    }
  };
  return { config, stillThere };
}

test('a start without the database that a data folder belongs to is refused before anything is cleared', async (context) => {
  const { config, stillThere } = await folderOfOthers(context);
  for (const time of ['first', 'second'])
    await assert.rejects(
      createApp(config, openLog('silent')),
      /records are empty, but the store of files is not: .*PLOIDY_DATABASE_URL/,
      time,
    );
  assert.equal(await stillThere(), 'somebody needs this');
});

test('a start with an empty database on the data folder of another is refused, too', {
  skip: postgresSkip,
}, async (context) => {
  const database = await startPrepared();
  context.after(() => database.stop());
  const { config, stillThere } = await folderOfOthers(context, { PLOIDY_DATABASE_URL: database.url });
  await assert.rejects(
    createApp(config, openLog('silent')),
    /records are empty, but the store of files is not/,
  );
  assert.equal(await stillThere(), 'somebody needs this');
});

test('a first start on the store of a service that has no file yet is refused, and what was sent to that stays', async (context) => {
  const s3 = await startS3();
  context.after(() => s3.close());
  const app = await openTestApp(s3.settings);
  context.after(() => app.stop());
  const project = (await app.call('POST', '/v1/projects', { body: { name: 'New' } })).body.id;
  const upload = { name: 'parts.txt', datasetId: project };
  const { uploadId } = (await app.call('POST', '/v1/uploads', { body: upload })).body;
  const { uploadUrl } = (await app.call('GET', `/v1/uploads/${uploadId}/parts/1`)).body;
  assert.equal((await fetch(uploadUrl, { method: 'PUT', body: 'part one' })).status, 200);
  const other = readConfig({ ...app.settings, PLOIDY_DATA_DIR: newFolder(context) });
  await assert.rejects(createApp(other, openLog('silent')), /belongs to other records/);
  assert.equal((await app.call('DELETE', `/v1/uploads/${uploadId}`)).status, 204);
  assert.equal((await fetch(`${app.address}/readyz`)).status, 200);
});

const somebody = {
  ...{ id: 'u', email: 'a@b.example', type: 'USER', profile: '{}', name_keys: '', password_hash: null },
  ...{ email_verified_at: null, email_claimed_by: null, created_at: 0 },
};

/** Records that were used, and a store: of a service of its own, unless it is given. */
async function serviceAt(context: TestContext, folder: string, blobs: Blobs) {
  const records = await openRecords({ folder, log: openLog('silent') });
  context.after(() => records.close());
  await records.transact((tx) => tx.insertInto('users').values(somebody).execute());
  return {
    records,
    sweep: blobSweep(records, blobs, true, { now: () => Date.now() + 1e9, steady: () => 0 }),
  };
}

testOnStores(
  'a store that is marked as that of other records is neither taken nor swept, though no file is in it',
  async ({ blobs }, context) => {
    const own = await serviceAt(context, newFolder(context), blobs);
    await requireOwnBlobs(own.records, blobs);
    const { key } = await blobs.put(Readable.from(['somebody needs this']));
    await requireOwnBlobs(own.records, blobs);
    const other = await serviceAt(context, newFolder(context), blobs);
    await assert.rejects(requireOwnBlobs(other.records, blobs), /belongs to other records/);
    await assert.rejects(other.sweep(), /belongs to other records/);
    assert.equal((await (await blobs.open(key)).toArray()).join(''), 'somebody needs this');
    // What clients of the other are just sending lies beside the blobs.
    await blobs.remove(key);
    await assert.rejects(requireOwnBlobs(other.records, blobs), /belongs to other records/);
    await requireOwnBlobs(own.records, blobs);
  },
);

/** Lets the records name a blob. */
async function nameBlob(records: Records, blob_key: string): Promise<void> {
  const told = { content_type: 'image/png', size: 1, sha256: '', created_at: 0 };
  const row = { user_id: `of ${blob_key}`, id: `picture ${blob_key}`, blob_key, ...told };
  await records.transact(async (tx) => {
    await tx
      .insertInto('users')
      .values({ ...somebody, id: row.user_id, email: `${blob_key}@b.example` })
      .execute();
    await tx.insertInto('pictures').values(row).execute();
  });
}

const ownIdentity = async ({ read }: Records): Promise<string> =>
  (await read.selectFrom('identity').select('id').executeTakeFirstOrThrow()).id;

/** What a refusal tells to write into the store, if it is the right one. */
async function toldToWrite(records: Records, blobs: Blobs): Promise<string> {
  const refusal = await requireOwnBlobs(records, blobs).catch((error: unknown) => String(error));
  const [, told] = /write (\S+) into/.exec(String(refusal)) ?? [];
  assert.ok(told, String(refusal));
  return told;
}

for (const isMarked of [true, false])
  testOnStores(
    `a store that was said by hand to be the right one, and was that of others, loses nothing for a day (${isMarked ? '' : 'not '}marked)`,
    async ({ blobs }, context) => {
      const own = await serviceAt(context, newFolder(context), blobs);
      await requireOwnBlobs(own.records, blobs);
      const { key } = await blobs.put(Readable.from(['somebody needs this']));
      const other = await serviceAt(context, newFolder(context), blobs);
      await requireOwnBlobs(other.records, diskBlobs({ folder: newFolder(context) }));
      if (!isMarked) await blobs.mark('');
      await blobs.mark(await toldToWrite(other.records, blobs));
      assert.equal(await requireOwnBlobs(other.records, blobs), true);
      assert.equal(await blobs.owner(), await ownIdentity(other.records));
      await other.sweep();
      await blobs.remove(key);

      await blobs.mark(await toldToWrite(own.records, blobs));
      assert.equal(await requireOwnBlobs(own.records, blobs), true);
      await own.sweep();
      assert.equal((await (await blobs.open(key)).toArray()).join(''), 'somebody needs this');
      await assert.rejects(requireOwnBlobs(other.records, blobs), /belongs to other records/);
    },
  );

testOnStores(
  'a store that is not marked yet is taken by records that name what is in it, and then nothing is removed for a day',
  async ({ blobs }, context) => {
    const folder = newFolder(context);
    const { records, sweep } = await serviceAt(context, folder, blobs);
    const stray = await blobs.put(Readable.from(['of nobody']));
    for (const text of ['of one', 'of two'])
      await nameBlob(records, (await blobs.put(Readable.from([text]))).key);
    await nameBlob(records, '0'.repeat(32));
    assert.equal(await requireOwnBlobs(records, blobs), true);
    assert.equal(await blobs.owner(), await ownIdentity(records));
    await sweep();
    await blobs.remove(stray.key);
    assert.equal(await blobs.sizeOf(stray.key), 9);
    assert.equal(await requireOwnBlobs(records, blobs), false);
  },
);

testOnStores(
  'a store that is not marked yet is refused, by whose bytes are not in it and by who names none, until somebody says that it is right',
  async ({ blobs }, context) => {
    const folder = newFolder(context);
    const { records, sweep } = await serviceAt(context, folder, blobs);
    const others = await blobs.put(Readable.from(['somebody needs this']));
    await assert.rejects(
      requireOwnBlobs(records, blobs),
      /name no file.*may belong.*write \S+ into its file/,
    );
    await nameBlob(records, '0'.repeat(32));
    await assert.rejects(requireOwnBlobs(records, blobs), /is its volume mounted.*write \S+ into its file/);
    await assert.rejects(sweep(), /is its volume mounted/);
    await blobs.remove(others.key);
    await assert.rejects(requireOwnBlobs(records, blobs), /is its volume mounted/, 'nor an empty one');
    assert.equal(await blobs.owner(), undefined);

    const late = await blobs.put(Readable.from(['may be needed']));
    await blobs.mark(await toldToWrite(records, blobs));
    await sweep();
    assert.equal(await blobs.sizeOf(late.key), 13);
  },
);

testOnRecords('blobs that records name are found in their store, or it is refused', async ({ open }) => {
  const records = await open();
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-foreign-'));
  const blobs = diskBlobs({ folder });
  try {
    const { key } = await blobs.put(Readable.from(['named']));
    await nameBlob(records, key);
    const unmounted = diskBlobs({ folder: join(folder, 'unmounted') });
    await assert.rejects(requireOwnBlobs(records, unmounted), /is its volume mounted/);
    assert.equal(await requireOwnBlobs(records, blobs), true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

testOnStores('records that have a store take no other one that is empty', async ({ blobs }, context) => {
  const folder = newFolder(context);
  const { records, sweep } = await serviceAt(context, folder, blobs);
  await requireOwnBlobs(records, blobs);
  const unmounted = diskBlobs({ folder: join(folder, 'unmounted') });
  await assert.rejects(requireOwnBlobs(records, unmounted), /is its volume mounted/);
  assert.equal(await unmounted.owner(), undefined);
  await requireOwnBlobs(records, blobs);
  const own = await blobs.owner();
  await blobs.mark(`${own}\n`);
  await requireOwnBlobs(records, blobs);
  await blobs.mark(' \n');
  assert.equal(await blobs.owner(), undefined);
  await assert.rejects(requireOwnBlobs(records, blobs), new RegExp(`write ${own}\\+ into it`));
  await blobs.mark(`${own}+\n`);
  await sweep();
  assert.equal(await blobs.owner(), own);
});

test('a service whose files are not mounted is not ready, calls no file gone, and does not start', async (context) => {
  const app = await openTestApp();
  context.after(() => app.stop());
  const project = (await app.call('POST', '/v1/projects', { body: { name: 'Mounted' } })).body.id;
  const id = await app.put(project, 'a.txt', 'bytes');
  const [mounted, elsewhere] = [join(app.folder, 'blobs'), join(app.folder, 'elsewhere')];
  renameSync(mounted, elsewhere);
  mkdirSync(join(mounted, 'scratch'), { recursive: true });
  const ready = await fetch(`${app.address}/readyz`);
  assert.equal(ready.status, 503, await ready.text());
  const read = await app.call('GET', `/v1/files/${id}`);
  assert.deepEqual([read.status, read.body.code], [503, 'STORAGE_UNAVAILABLE']);
  // Beside it: two services in one folder are refused before.
  await assert.rejects(openCore(readConfig(app.settings), openLog('silent')), /is its volume mounted/);
  rmSync(mounted, { recursive: true });
  renameSync(elsewhere, mounted);
  assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'bytes');
});

test('commands of the host neither call such a folder clean nor make a backup of nothing', async (context) => {
  const { config, stillThere } = await folderOfOthers(context);
  const target = mkdtempSync(join(tmpdir(), 'ploidy-backup-'));
  context.after(() => rmSync(target, { recursive: true, force: true }));
  const commands = [
    ['backup', join(target, 'a')],
    ['verify-lake'],
    ['verify-audit'],
    ['backup', join(target, 'b')],
  ];
  for (const words of commands) assert.equal(await runAdmin(config, words), 1, words.join(' '));
  assert.equal(await stillThere(), 'somebody needs this');
});
