/** A restored copy beside the service that it was copied from: neither removes bytes of the other. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { storeSettings } from '../../packages/server/src/config/blobs.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { openBlobs } from '../../packages/server/src/platform/blobs/index.ts';
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

/** Service on S3 with a backup, and a file of later. */
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

  /** Asserts that all bytes are in the store, past the service. */
  async assertWhole(): Promise<void> {
    assert.equal((await this.app.call('GET', `/v1/files/${this.#later}`)).text, 'came later');
    assert.equal(await assertWhole(this.app.settings), 2);
  }
}

/** Sweeps as the service of these settings does at a start, long after. */
const sweepAll = (settings: Settings) =>
  look(settings, async (records) => {
    const blobs = await openBlobs(storeSettings(readConfig(settings)), records);
    try {
      await blobs.recover();
      await blobs.sweep();
    } finally {
      await blobs.close();
    }
  });

test('a restored copy that is started on the store of the live service removes nothing there', async (context) => {
  const live = await Production.open(context);
  const place = await emptyPlace(context, 'sqlite');
  const restored = await adminHere(place, 'restore', live.backup, ...live.key);
  assert.equal(restored.code, 0, restored.err);
  await sweepAll({ ...place, ...live.store });
  await live.assertWhole();
});

test('records without a row remove nothing from the store of a live service', async (context) => {
  const live = await Production.open(context);
  const place = { ...(await emptyPlace(context, 'sqlite')), ...live.store };
  mkdirSync(place.PLOIDY_DATA_DIR ?? '', { recursive: true });
  await sweepAll(place);
  await live.assertWhole();
});

test('a backup with its bytes is not restored into the store that the live service uses', async (context) => {
  const live = await Production.open(context);
  const place = { ...(await emptyPlace(context, 'sqlite')), ...live.store };
  const refused = await adminHere(place, 'restore', live.backup, ...live.key);
  assert.deepEqual([refused.code, /another service uses it/.test(refused.err)], [1, true], refused.err);
  await live.assertWhole();
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`a restored service removes nothing for 14 days from the store in which its bytes stayed (${dialect})`, {
    skip: dialect === 'postgres' && postgresSkip,
  }, async (context) => {
    const live = await Production.open(context, '--list-bytes');
    const place = { ...(await emptyPlace(context, dialect)), ...live.store };
    const restored = await admin(place, 'restore', live.backup, ...live.key);
    assert.equal(restored.code, 0, restored.err);
    assert.equal(await assertWhole(place), 1);
    await look(place, (records) => records.transact((tx) => tx.deleteFrom('files').execute()));
    await sweepAll(place);
    await live.assertWhole();
    const expiry = await look(place, ({ read }) =>
      read
        .selectFrom('blob_intents')
        .select('expires_at')
        .where('kind', '=', 'read')
        .executeTakeFirstOrThrow(),
    );
    assert.ok(expiry.expires_at > Date.now() + 13 * 86_400_000);
  });
}

test('a restore with listed bytes that was cut off is ended by the same command', async (context) => {
  const live = await Production.open(context, '--list-bytes');
  const place = { ...(await emptyPlace(context, 'sqlite')), ...live.store };
  const words = ['restore', live.backup, ...live.key];
  const isFilling = () => existsSync(join(place['PLOIDY_DATA_DIR'] ?? '', 'records.sqlite.filling'));
  await killWhen(isFilling, place, ...words);
  const again = await adminHere(place, ...words);
  assert.equal(again.code, 0, again.err);
  assert.equal(await assertWhole(place), 1);
});
