import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { givenStore } from '../../../../../test/support/s3/given-store.ts';
import { type S3Server, startS3 } from '../../../../../test/support/s3/server.ts';
import { readConfig } from '../../config.ts';
import { storeSettings } from '../../config-blobs.ts';
import type { Blobs } from './blobs.ts';
import { diskBlobs } from './disk.ts';
import { keyPath } from './keys.ts';
import { openBlobs } from './open.ts';
import { S3Client } from './s3/client.ts';

/** One empty store for one test, and ways to look behind it. */
export interface Store {
  blobs: Blobs;
  /** Folder of files on their way. */
  scratch: string;
  /** Keys of the blobs that there are, and names of whatever else lies about, here or in the store. */
  holdings(): Promise<string[]>;
  /** Makes a blob or scratch file older; no real S3 lets anybody. */
  age?: (keyOrPath: string, ms: number) => void;
  /** Makes all holds older. */
  ageHolds?: (ms: number) => void;
}

/** Registers a test that must hold on every store. */
export function testOnStores(
  name: string,
  body: (store: Store, context: TestContext) => Promise<void>,
): void {
  test(`${name} (disk)`, (context) => body(onDisk(context), context));
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

function makeOlder(path: string, ms: number): void {
  const time = new Date(Date.now() - ms);
  utimesSync(path, time, time);
}

function onDisk(context: TestContext): Store {
  const folder = temporaryFolder(context);
  return {
    blobs: diskBlobs({ folder }),
    scratch: join(folder, 'scratch'),
    holdings: async () => filesBelow(folder),
    age: (name, ms) => makeOlder(name.includes('/') ? name : keyPath(folder, name), ms),
    ageHolds: (ms) => {
      for (const name of readdirSync(join(folder, 'holds'))) makeOlder(join(folder, 'holds', name), ms);
    },
  };
}

/** An empty S3 store and the server behind it. */
export async function onS3(
  context: TestContext,
): Promise<{ store: Store; server: S3Server; folder: string }> {
  const folder = temporaryFolder(context);
  const server = await startS3();
  context.after(() => server.close());
  const blobs = await openS3(folder, server.settings);
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
    age: (name, ms) => {
      if (name.includes('/')) makeOlder(name, ms);
      else bucket.get(prefix + name).modifiedAt -= ms;
    },
    ageHolds: (ms) => {
      for (const [key, object] of bucket.objects) if (key.includes('/holds/')) object.modifiedAt -= ms;
    },
  };
  return { store, server, folder };
}

/** Opens the store that the settings name, as another process would. */
export function openS3(folder: string, settings: Record<string, string>): Promise<Blobs> {
  return openBlobs(storeSettings(readConfig({ ...settings, PLOIDY_DATA_DIR: folder })));
}

/** A part of the given store that is empty at the beginning. */
async function onGivenStore(context: TestContext, given: Record<string, string>): Promise<Store> {
  const folder = temporaryFolder(context);
  const url = new URL(given['PLOIDY_BLOBS'] ?? '');
  url.pathname = `/tests/${randomUUID()}`;
  const settings = { ...given, PLOIDY_BLOBS: url.href };
  const blobs = await openS3(folder, settings);
  context.after(() => blobs.close());
  const config = readConfig({ ...settings, PLOIDY_DATA_DIR: folder });
  if (!config.blobStore) throw new Error('PLOIDY_TEST_S3 names no store.');
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  const client = new S3Client(config.blobStore, { accessKeyId, secretAccessKey });
  context.after(() => client.close());
  const scratch = join(folder, 'blobs', 'scratch');
  return {
    blobs,
    scratch,
    holdings: async () => {
      const { objects } = await client.list('');
      const unfinished = await client.unfinished('');
      const keys = [...objects, ...unfinished].map(({ key }) => key.replace('blobs/', ''));
      return [...filesBelow(scratch), ...keys];
    },
  };
}
