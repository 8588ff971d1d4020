/** Several backups in one place, a folder or an S3-compatible store: what is copied, listed, restored and removed. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { startS3 } from '../support/s3/server.ts';
import { adminHere, assertWhole, emptyPlace, newFolder, type Settings } from './operator.ts';

/** Place of backups, with the names of the files in it. */
interface Place {
  settings: Settings;
  name: string;
  files: () => string[];
  remove: (file: string) => void;
  write: (file: string) => void;
}

const places: Record<string, (context: TestContext) => Promise<Place>> = {
  'a folder': async (context) => {
    const name = newFolder(context);
    const files = () =>
      readdirSync(name, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(name.length + 1));
    const write = (file: string) => {
      mkdirSync(dirname(join(name, file)), { recursive: true });
      writeFileSync(join(name, file), '');
    };
    return { settings: {}, name, files, remove: (file) => rmSync(join(name, file)), write };
  },
  'an S3-compatible store': async (context) => {
    const s3 = await startS3();
    context.after(() => s3.close());
    const { PLOIDY_BLOBS = '', PLOIDY_S3_ACCESS_KEY_ID = '', PLOIDY_S3_SECRET_ACCESS_KEY = '' } = s3.settings;
    const url = new URL(PLOIDY_BLOBS);
    const name = `s3://${url.hostname}/backups/north${url.search}`;
    const settings = {
      PLOIDY_BACKUPS_ACCESS_KEY_ID: PLOIDY_S3_ACCESS_KEY_ID,
      PLOIDY_BACKUPS_SECRET_ACCESS_KEY: PLOIDY_S3_SECRET_ACCESS_KEY,
    };
    const { objects } = s3.bucket;
    const start = 'backups/north/';
    const files = () => [...objects.keys()].map((key) => key.slice(key.indexOf(start) + start.length));
    const keyOf = (file: string) => [...objects.keys()].find((key) => key.endsWith(start + file)) ?? '';
    const write = (file: string) => {
      const [any] = objects.keys();
      const [found] = objects.values();
      if (any && found) objects.set(any.slice(0, any.indexOf(start) + start.length) + file, found);
    };
    return { settings, name, files, remove: (file) => objects.delete(keyOf(file)), write };
  },
};

const blobsOf = (place: Place): string[] => place.files().filter((file) => file.startsWith('blobs/'));

async function filled(
  context: TestContext,
): Promise<{ app: TestApp; put: (name: string) => Promise<string> }> {
  const app = await openTestApp();
  context.after(() => app.stop());
  const project = (await app.call('POST', '/v1/projects', { body: { name: 'Kept' } })).body.id;
  return { app, put: (name) => app.put(project, name, `bytes of ${name}`) };
}

for (const [kind, open] of Object.entries(places)) {
  test(`backups in ${kind} share bytes; each is restored by its time, and a prune removes what no kept one lists`, async (context) => {
    const place = await open(context);
    const { app, put } = await filled(context);
    const own = { ...app.settings, ...place.settings };
    const run = async (...words: string[]) => {
      const { code, out, err } = await adminHere(own, ...words, '--json');
      assert.equal(code, 0, err);
      return JSON.parse(out);
    };
    const first = await put('first.txt');
    await put('second.txt');
    assert.match((await run('backup', place.name, '--with-key')).copied, /^2 /);
    assert.equal((await app.call('DELETE', `/v1/files/${first}`)).status, 204);
    await put('third.txt');
    assert.match((await run('backup', place.name, '--with-key')).copied, /^1 /);
    assert.match((await run('backup', place.name, '--with-key')).copied, /^0 /);
    const { backups } = await run('backup', 'ls', place.name);
    assert.deepEqual(
      backups.map(({ state, blobs }: Record<string, string>) => [state, blobs]),
      [2, 2, 2].map((count) => ['complete', `${count} blobs`]),
    );
    assert.equal(blobsOf(place).length, 3);

    const restored = async (...words: string[]) => {
      const to = await emptyPlace(context, 'sqlite');
      const { code, err } = await adminHere({ ...to, ...place.settings }, 'restore', ...words);
      assert.equal(code, 0, err);
      assert.equal(await assertWhole(to), 2);
      const again = await openTestApp(to);
      const { read } = again.people.records;
      const files = await read.selectFrom('files').select('name').orderBy('name').execute();
      await again.stop();
      return files.map(({ name }) => name);
    };
    assert.deepEqual(await restored(place.name), ['second.txt', 'third.txt']);
    assert.deepEqual(await restored(place.name, '--at', backups[0].moment), ['first.txt', 'second.txt']);

    place.write('blobs/ab/notes.txt');
    const pruned = await run('backup', 'prune', place.name, '--keep', '2');
    assert.deepEqual([pruned.kept, pruned.removed, pruned.removedBlobs], [2, 1, 1]);
    assert.equal(blobsOf(place).length, 3, 'two blobs, and a file that is none of ours');
    for (const moment of [backups[1].moment, backups[2].moment])
      assert.match((await run('backup', 'verify', place.name, '--at', moment)).backup, /undamaged/);
    const late = await adminHere(own, 'restore', place.name, '--at', backups[0].moment);
    assert.match(late.err, /The oldest backup in .* is of/);

    const [blob = ''] = blobsOf(place).filter((file) => !file.endsWith('.txt'));
    place.remove(blob);
    const damaged = await adminHere(own, 'backup', 'verify', place.name);
    assert.deepEqual([damaged.code, damaged.err.includes(`${blob} is missing`)], [1, true], damaged.err);
    const again = await run('backup', place.name, '--keep', '1');
    assert.match(again.copied, /^1 /, 'what is missing is copied again');
    const whole = await run('backup', 'verify', place.name);
    assert.deepEqual([again.blobs, again.bytes], [whole.blobs, whole.bytes], 'the numbers are of the backup');
    assert.equal((await adminHere(own, 'backup', 'verify', place.name)).code, 0);
  });
}

test('a backup of 0.1.0, alone in its folder, is listed, shares its bytes and is pruned', async (context) => {
  const { app, put } = await filled(context);
  await put('first.txt');
  const folder = newFolder(context);
  const backup = (...words: string[]) => adminHere(app.settings, 'backup', folder, ...words);
  assert.equal((await backup('--with-key')).code, 0);
  const [moment = ''] = readdirSync(join(folder, 'moments'));
  for (const name of readdirSync(join(folder, 'moments', moment)))
    renameSync(join(folder, 'moments', moment, name), join(folder, name));
  rmSync(join(folder, 'moments'), { recursive: true });
  assert.equal((await adminHere({}, 'verify-backup', folder)).code, 0);
  assert.match((await backup()).out, /^copied: 0 /m);
  const pruned = await adminHere({}, 'backup', 'prune', folder, '--keep', '1');
  assert.match(pruned.out, /^kept: 1\nremoved: 1\nremovedBlobs: 0$/m);
  assert.deepEqual(readdirSync(folder).sort(), ['backup.lock', 'blobs', 'moments']);
  assert.equal((await adminHere({}, 'backup', 'verify', folder)).code, 0);
});

test('a place is refused that holds other things, is in use, or is that of the service', async (context) => {
  const { app } = await filled(context);
  const folder = newFolder(context);
  mkdirSync(folder);
  appendFileSync(join(folder, 'thesis.docx'), '');
  const refused = async (settings: Settings, ...words: string[]) => {
    const { code, err } = await adminHere({ ...app.settings, ...settings }, ...words);
    assert.equal(code, 1);
    return err;
  };
  assert.match(await refused({}, 'backup', folder), /other things than backups, such as thesis\.docx/);
  assert.match(await refused({}, 'backup'), /set PLOIDY_BACKUPS/);
  assert.match(await refused({}, 'backup', 's3://x?secret=y'), /should be like s3:/);
  const store = { PLOIDY_BLOBS: 's3://bytes/ploidy?endpoint=http://127.0.0.1:9' };
  for (const prefix of ['', '/ploidy', '/ploidy/backups'])
    assert.match(
      await refused(store, 'backup', `s3://bytes${prefix}?endpoint=http://127.0.0.1:9`),
      /among the bytes of the service/,
    );
});
