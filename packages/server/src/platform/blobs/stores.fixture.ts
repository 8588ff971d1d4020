import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { prepareSqlite } from '../../../../../test/support/prepared-records.ts';
import { silent } from '../../../../../test/support/records.ts';
import { givenStore } from '../../../../../test/support/s3/given-store.ts';
import { type S3Server, startS3 } from '../../../../../test/support/s3/server.ts';
import { storeSettings } from '../../config/blobs.ts';
import { readConfig } from '../../config/config.ts';
import { openRecords, type Records } from '../records/index.ts';
import type { Blobs } from './blobs.ts';
import { diskBlobs } from './disk/disk-blobs.ts';
import { openBlobs } from './open.ts';
import { S3Client } from './s3/client.ts';

/** One empty store for one test, and ways to look behind it. */
export interface Store {
  blobs: Blobs;
  /** Folder of files on their way. */
  scratch: string;
  /** Keys of the existing blobs, and names of all other files, here or in the store. */
  holdings(): Promise<string[]>;
  records: Records;
}

/** Registers a test that must hold on every store. */
export function testOnStores(
  name: string,
  body: (store: Store, context: TestContext) => Promise<void>,
): void {
  test(`${name} (disk)`, async (context) => body(await onDisk(context), context));
  test(`${name} (s3)`, async (context) => body((await onS3(context)).store, context));
  const given = givenStore;
  if (given === undefined) return;
  test(`${name} (given s3)`, async (context) => body(await onGivenStore(context, given), context));
}

function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-blobs-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

async function recordsIn(context: TestContext, folder: string): Promise<Records> {
  prepareSqlite({ dataFolder: folder, databaseUrl: '' });
  const records = await openRecords({ folder, log: silent });
  context.after(() => records.close());
  return records;
}

async function onDisk(context: TestContext): Promise<Store> {
  const data = temporaryFolder(context);
  const records = await recordsIn(context, data);
  const folder = join(data, 'blobs');
  return {
    blobs: diskBlobs({ folder, records }),
    records,
    scratch: join(folder, 'scratch'),
    holdings: async () => filesBelow(folder),
  };
}

/** Expires every intent to write, as a day does. */
export async function passTime({ records }: Pick<Store, 'records'>): Promise<void> {
  await records.transact((tx) =>
    tx.updateTable('blob_intents').set({ expires_at: 0 }).where('kind', '=', 'write').execute(),
  );
}

/** Names blobs by rows, as parts of an upload. */
export async function name({ records }: Pick<Store, 'records'>, ...keys: string[]): Promise<void> {
  const upload = { upload_id: randomUUID(), project_id: 'p', size: 1, created_at: 0 };
  const rows = keys.map((blob_key, number) => ({ ...upload, number, blob_key }));
  await records.transact((tx) => tx.insertInto('upload_parts').values(rows).execute());
}

/** Deletes the rows that `name` made for these keys. */
export async function unname({ records }: Pick<Store, 'records'>, ...keys: string[]): Promise<void> {
  await records.transact((tx) => tx.deleteFrom('upload_parts').where('blob_key', 'in', keys).execute());
}

/** Returns an empty S3 store and the server behind it. */
export async function onS3(
  context: TestContext,
): Promise<{ store: Store; server: S3Server; folder: string }> {
  const folder = temporaryFolder(context);
  const server = await startS3();
  context.after(() => server.close());
  const records = await recordsIn(context, folder);
  const blobs = await openS3(folder, server.settings, records);
  context.after(() => blobs.close());
  const prefix = 'some/prefix/blobs/';
  const scratch = join(folder, 'blobs', 'scratch');
  const { bucket } = server;
  const store: Store = {
    blobs,
    scratch,
    holdings: async () => [
      ...filesBelow(scratch),
      ...[...bucket.objects.keys()].map((key) => key.replace(prefix, '')),
      ...bucket.uploads.keys(),
    ],
    records,
  };
  return { store, server, folder };
}

/** Opens the store that the settings name, as another process would. */
export function openS3(folder: string, settings: Record<string, string>, records?: Records): Promise<Blobs> {
  return openBlobs(storeSettings(readConfig({ ...settings, PLOIDY_DATA_DIR: folder })), records);
}

/** Returns a part of the given store that is empty at the beginning. */
async function onGivenStore(context: TestContext, given: Record<string, string>): Promise<Store> {
  const folder = temporaryFolder(context);
  const url = new URL(given['PLOIDY_BLOBS'] ?? '');
  url.pathname = `/tests/${randomUUID()}`;
  const settings = { ...given, PLOIDY_BLOBS: url.href };
  const records = await recordsIn(context, folder);
  const blobs = await openS3(folder, settings, records);
  context.after(() => blobs.close());
  const config = readConfig({ ...settings, PLOIDY_DATA_DIR: folder });
  if (!config.blobStore) throw new Error('PLOIDY_TEST_S3 names no store.');
  const client = new S3Client(config.blobStore, storeSettings(config).access);
  context.after(() => client.close());
  const scratch = join(folder, 'blobs', 'scratch');
  return {
    blobs,
    records,
    scratch,
    holdings: async () => {
      const { objects } = await client.list('');
      return [...filesBelow(scratch), ...objects.map(({ key }) => key.replace('blobs/', ''))];
    },
  };
}
