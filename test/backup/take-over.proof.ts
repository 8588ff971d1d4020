/** A restored copy beside the service that it was copied from: neither clears what the other has. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { blobSweep } from '../../packages/server/src/blob-sweep.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { storeSettings } from '../../packages/server/src/config-blobs.ts';
import { type Blobs, openBlobs } from '../../packages/server/src/platform/blobs/index.ts';
import type { Records } from '../../packages/server/src/platform/records/index.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { postgresSkip } from '../support/postgres.ts';
import { startS3 } from '../support/s3/server.ts';
import {
  admin,
  adminHere,
  assertWhole,
  emptyPlace,
  killWhen,
  look,
  newFolder,
  type Settings,
} from './operator.ts';

const yearMs = 365 * 86_400_000;

const identityOf = ({ read }: Records) => read.selectFrom('identity').selectAll().executeTakeFirstOrThrow();

/** A service on S3 with a backup, and a file that came after it. */
class Production {
  readonly store: Settings;
  readonly app: TestApp;
  readonly backup: string;
  readonly #later: string;

  constructor(parts: { store: Settings; app: TestApp; backup: string; later: string }) {
    this.store = parts.store;
    this.app = parts.app;
    this.backup = parts.backup;
    this.#later = parts.later;
  }

  static async open(context: TestContext, ...options: string[]): Promise<Production> {
    const s3 = await startS3();
    context.after(() => s3.close());
    const app = await openTestApp(s3.settings);
    context.after(() => app.stop());
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'Live' } })).body.id;
    const read = async (id: string) => (await app.call('GET', `/v1/files/${id}`)).text;
    assert.equal(await read(await app.put(project, 'before.txt', 'before')), 'before');
    const backup = newFolder(context);
    const made = await adminHere(app.settings, 'backup', backup, ...options);
    assert.equal(made.code, 0, made.err);
    const later = await app.put(project, 'later.txt', 'came later');
    assert.equal(await read(later), 'came later');
    return new Production({ store: s3.settings, app, backup, later });
  }

  get key(): string[] {
    return ['--key', join(this.app.folder, 'secrets/master.key')];
  }

  async ready(): Promise<number> {
    return (await fetch(`${this.app.address}/readyz`)).status;
  }

  identity() {
    return identityOf(this.app.people.records);
  }

  /** A download goes past the service: its bytes are in the store. */
  async assertWhole(): Promise<void> {
    assert.equal((await this.app.call('GET', `/v1/files/${this.#later}`)).text, 'came later');
    assert.equal(await assertWhole(this.app.settings), 2);
  }

  blobOfLater() {
    const { read } = this.app.people.records;
    return read
      .selectFrom('files')
      .select('blob_key')
      .where('id', '=', this.#later)
      .executeTakeFirstOrThrow();
  }
}

async function inStore<T>(settings: Settings, work: (blobs: Blobs) => Promise<T>): Promise<T> {
  const blobs = await openBlobs(storeSettings(readConfig(settings)));
  try {
    return await work(blobs);
  } finally {
    await blobs.close();
  }
}

/** Sweeps as the service of these settings would if it ran for a year. */
const sweepAll = (settings: Settings) =>
  inStore(settings, (blobs) =>
    look(settings, (records) =>
      blobSweep(records, blobs, true, { now: () => Date.now() + yearMs, steady: () => 0 })(),
    ),
  );

test('a copy with bytes of its own is refused on the store of the live service, and sweeps nothing there', async (context) => {
  const live = await Production.open(context);
  const place = await emptyPlace(context, 'sqlite');
  const restored = await adminHere(place, 'restore', live.backup, ...live.key);
  assert.equal(restored.code, 0, restored.err);
  const { id, store_marked } = await look(place, identityOf);
  assert.notEqual(id, (await live.identity()).id, 'it is another service');
  assert.deepEqual([await inStore(place, (blobs) => blobs.owner()), store_marked], [id, 1]);
  const onLive = { ...place, ...live.store };
  const started = await adminHere(onLive, 'verify-audit');
  assert.deepEqual([started.code, /belongs to other records/.test(started.err)], [1, true], started.err);
  await assert.rejects(sweepAll(onLive), /belongs to other records/);
  assert.equal(await live.ready(), 200);
  await live.assertWhole();
});

test('a store that bears the mark of another service is not restored into, though it is empty', async (context) => {
  const live = await Production.open(context);
  const other = await startS3();
  context.after(() => other.close());
  const idle = await openTestApp(other.settings);
  context.after(() => idle.stop());
  const place = { ...(await emptyPlace(context, 'sqlite')), ...other.settings };
  const refused = await adminHere(place, 'restore', live.backup, ...live.key);
  assert.deepEqual([refused.code, /belongs to another service/.test(refused.err)], [1, true], refused.err);
  const again = await adminHere(place, 'restore', live.backup, ...live.key);
  assert.deepEqual(
    [again.code, /belongs to another service/.test(again.err)],
    [1, true],
    'nor the second time',
  );
  assert.equal(await inStore(idle.settings, (blobs) => blobs.isEmpty()), true);
  assert.equal((await fetch(`${idle.address}/readyz`)).status, 200);
  const own = { ...place, PLOIDY_BLOBS: `${place['PLOIDY_BLOBS']}`.replace('some/prefix', 'own') };
  const restored = await adminHere(own, 'restore', live.backup, ...live.key);
  assert.equal(restored.code, 0, restored.err);
  assert.equal(await assertWhole(own), 1);
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`bytes that stayed in their store are taken over on demand only, and come back whole after a mistake (${dialect})`, {
    skip: dialect === 'postgres' && postgresSkip,
  }, async (context) => {
    const live = await Production.open(context, '--list-bytes');
    const { id: owner } = await live.identity();
    const place = { ...(await emptyPlace(context, dialect)), ...live.store };
    const refused = await adminHere(place, 'restore', live.backup, ...live.key);
    assert.deepEqual([refused.code, /--take-store/.test(refused.err)], [1, true], refused.err);
    assert.equal(await inStore(live.app.settings, (blobs) => blobs.owner()), owner);
    assert.equal(await live.ready(), 200);

    const taken = await admin(place, 'restore', live.backup, '--take-store', ...live.key);
    assert.equal(taken.code, 0, taken.err);
    assert.equal(await live.ready(), 503, 'the old service is refused');
    const old = await adminHere(live.app.settings, 'verify-audit');
    assert.deepEqual([old.code, old.err.includes(`write ${owner}+ into`)], [1, true], old.err);
    assert.equal(await assertWhole(place), 1);
    const { blob_key } = await live.blobOfLater();
    await sweepAll(place);
    await inStore(place, (blobs) => blobs.remove(blob_key));

    await inStore(place, (blobs) => blobs.mark(`${owner}+`));
    assert.equal(await live.ready(), 200);
    await live.assertWhole();
    await assert.rejects(sweepAll(place), /belongs to other records/);
  });
}

test('a take-over that was cut off is ended by the same command, and the store bears the mark of its records', async (context) => {
  const live = await Production.open(context, '--list-bytes');
  const place = { ...(await emptyPlace(context, 'sqlite')), ...live.store };
  const words = ['restore', live.backup, '--take-store', ...live.key];
  const isFilling = () => existsSync(join(place['PLOIDY_DATA_DIR'] ?? '', 'records.sqlite.filling'));
  await killWhen(isFilling, place, ...words);
  const owner = await inStore(live.app.settings, (blobs) => blobs.owner());
  const again = await adminHere(place, ...words);
  assert.equal(again.code, 0, again.err);
  assert.equal((await look(place, identityOf)).id, owner);
  assert.equal(await assertWhole(place), 1);
  const started = await adminHere(place, 'verify-audit');
  assert.equal(started.code, 0, started.err);
});

test('a backup that lists no bytes takes no store that holds some, or is that of another service', async (context) => {
  const [live, empty] = [await Production.open(context), await startS3()];
  context.after(() => empty.close());
  const fresh = await openTestApp(empty.settings);
  context.after(() => fresh.stop());
  const backup = newFolder(context);
  const made = await adminHere(fresh.settings, 'backup', backup, '--list-bytes');
  assert.equal(made.code, 0, made.err);
  const words = ['restore', backup, '--take-store', '--key', join(fresh.folder, 'secrets/master.key')];
  for (const { store, reason } of [
    { store: live.store, reason: /not empty/ },
    { store: empty.settings, reason: /belongs to another service/ },
  ]) {
    const refused = await adminHere({ ...(await emptyPlace(context, 'sqlite')), ...store }, ...words);
    assert.deepEqual([refused.code, reason.test(refused.err)], [1, true], refused.err);
  }
  assert.equal(await live.ready(), 200);
  const place = await emptyPlace(context, 'sqlite');
  const restored = await adminHere(place, ...words);
  assert.equal(restored.code, 0, restored.err);
});
