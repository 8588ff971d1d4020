/** Refusals: no backup, a damaged backup, an unsuitable target. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
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

describe('a backup and its restore', () => {
  let app: TestApp;
  let made: string;
  /** Folder of the only backup in a place. */
  const momentIn = (place: string): string =>
    join(place, 'moments', readdirSync(join(place, 'moments'))[0] ?? '');

  before(async () => {
    app = await openTestApp();
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'Kept' } })).body.id;
    for (let number = 0; number < 40; number += 1) await app.put(project, `${number}.txt`, `bytes ${number}`);
    made = join(mkdtempSync(join(tmpdir(), 'ploidy-backup-')), 'made');
    const { code, err } = await admin(app.settings, 'backup', made);
    assert.equal(code, 0, err);
  });
  after(async () => {
    await app?.stop();
    rmSync(join(made, '..'), { recursive: true, force: true });
  });

  const keyOf = () => ['--key', join(app.folder, 'secrets/master.key')];
  const blobIn = (folder: string): string => {
    const files = readdirSync(join(folder, 'blobs'), { recursive: true, withFileTypes: true });
    const [file] = files.filter((entry) => entry.isFile() && entry.name !== 'owner');
    assert.ok(file);
    return join(file.parentPath, file.name);
  };
  const flip = (path: string): void => {
    const bytes = readFileSync(path);
    const at = Math.floor(bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };
  const rewrite = (folder: string, change: (manifest: Record<string, unknown>) => void): void => {
    const path = join(momentIn(folder), 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    change(manifest);
    writeFileSync(path, JSON.stringify(manifest));
  };

  const damages: [string, (folder: string) => void, RegExp][] = [
    [
      'without a manifest',
      (f) => rmSync(join(momentIn(f), 'manifest.json')),
      /no complete backup .*: it has no manifest/,
    ],
    [
      'with half a manifest',
      (f) => writeFileSync(join(momentIn(f), 'manifest.json'), '{"format":'),
      /cannot be read/,
    ],
    [
      'with a changed row',
      (f) => flip(join(momentIn(f), 'records/users.ndjson.gz')),
      /records\/users\.ndjson\.gz does not/,
    ],
    ['with a changed blob', (f) => flip(blobIn(f)), /damaged: blobs\/../],
    ['without a blob', (f) => rmSync(blobIn(f)), /damaged: blobs\/.* is missing/],
    ['with a changed list', (f) => flip(join(momentIn(f), 'blobs.ndjson.gz')), /blobs\.ndjson\.gz does not/],
    ['of a newer form', (f) => rewrite(f, (m) => (m['format'] = 3)), /has the form 3, this version reads 2/],
    [
      'of a newer schema',
      (f) => rewrite(f, (m) => (m['migrations'] as string[]).push('9999-future')),
      /newer version \(it made the change "9999-future"\)/,
    ],
    ['of other tables', (f) => rewrite(f, (m) => (m['tables'] as unknown[]).pop()), /names other tables/],
    [
      'with a changed manifest',
      (f) => rewrite(f, (m) => (m['madeAt'] = 'never')),
      /its manifest was changed/,
    ],
  ];
  for (const [what, damage, says] of damages) {
    test(`${what} nothing is restored`, async (context) => {
      const folder = newFolder(context);
      cpSync(made, folder, { recursive: true });
      damage(folder);
      const place = await emptyPlace(context, 'sqlite');
      const { code, err } = await adminHere(place, 'restore', folder, ...keyOf());
      assert.equal(code, 1);
      assert.match(err, says);
      assert.equal(existsSync(join(place['PLOIDY_DATA_DIR'] ?? '', 'records.sqlite')), false);
    });
  }

  test('a backup is refused while a change of the master key is unfinished: no single key opens everything', async (context) => {
    const key = join(app.folder, 'secrets/master.key');
    const whole = readFileSync(key, 'utf8');
    context.after(() => writeFileSync(key, whole));
    writeFileSync(key, `${whole}older: ${Buffer.alloc(32, 7).toString('base64')}\n`);
    for (const words of [[], ['--with-key']]) {
      const folder = newFolder(context);
      const { code, err } = await adminHere(app.settings, 'backup', folder, ...words);
      assert.equal(code, 1);
      assert.match(err, /run rotate-key to its end/);
      assert.equal(existsSync(join(folder, 'moments')), false);
    }
  });

  test('a backup is restored with its own master key only, which it holds on request alone', async (context) => {
    assert.equal(existsSync(join(made, 'master.key')), false);
    const place = await emptyPlace(context, 'sqlite');
    const none = await adminHere(place, 'restore', made);
    assert.deepEqual([none.code, /holds no master key.*--key/.test(none.err)], [1, true], none.err);
    const other = join(newFolder(context), '..', 'other.key');
    writeFileSync(other, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 });
    const wrong = await adminHere(place, 'restore', made, '--key', other);
    assert.deepEqual([wrong.code, /is not the one of this backup/.test(wrong.err)], [1, true], wrong.err);
    const open = join(other, '..', 'open.key');
    copyFileSync(join(app.folder, 'secrets/master.key'), open);
    chmodSync(open, 0o644);
    const readable = await adminHere(place, 'restore', made, '--key', open);
    assert.deepEqual([readable.code, /set its mode to 0600/.test(readable.err)], [1, true], readable.err);
    const own = newFolder(context);
    const withKey = await adminHere(app.settings, 'backup', own, '--with-key');
    assert.match(withKey.out, /masterKey: in the backup/);
    const restored = await admin(place, 'restore', own);
    assert.equal(restored.code, 0, restored.err);
    assert.equal(await assertWhole(place), 40);
  });

  test('a restore needs an empty place outside the data folder', async (context) => {
    const place = await emptyPlace(context, 'sqlite');
    const folder = place['PLOIDY_DATA_DIR'] ?? '';
    mkdirSync(folder);
    writeFileSync(join(folder, 'anything'), '');
    const full = await adminHere(place, 'restore', made, ...keyOf());
    assert.deepEqual([full.code, /is not empty/.test(full.err)], [1, true], full.err);
    const other = await adminHere(app.settings, 'backup', join(made, 'moments'));
    assert.deepEqual([other.code, /other things than backups/.test(other.err)], [1, true], other.err);
    for (const name of ['backup', '..backup', '.']) {
      const inside = await adminHere(app.settings, 'backup', join(app.folder, name));
      assert.deepEqual([inside.code, /outside the data folder/.test(inside.err)], [1, true], inside.err);
    }
    const link = newFolder(context);
    symlinkSync(app.folder, link);
    const linked = await adminHere(app.settings, 'backup', join(link, 'backup'));
    assert.deepEqual([linked.code, /outside the data folder/.test(linked.err)], [1, true], linked.err);
    for (const name of ['.', 'live', 'live/deeper']) {
      const within = await adminHere({ PLOIDY_DATA_DIR: join(made, name) }, 'restore', made, ...keyOf());
      assert.deepEqual([within.code, /would lie in the backup/.test(within.err)], [1, true], within.err);
      assert.equal(existsSync(join(made, 'live')), false);
    }
    const listed = newFolder(context);
    const onDisk = await adminHere(app.settings, 'backup', listed, '--list-bytes');
    assert.deepEqual([onDisk.code, /--list-bytes is for S3/.test(onDisk.err)], [1, true], onDisk.err);
    assert.equal(existsSync(listed), false);
    const nothing = await adminHere({ PLOIDY_DATA_DIR: newFolder(context) }, 'backup', newFolder(context));
    assert.notEqual(nothing.code, 0);
  });

  test('names bytes missing from the store, and leaves no backup', async (context) => {
    const lost = await openTestApp();
    context.after(() => lost.stop());
    const project = (await lost.call('POST', '/v1/projects', { body: { name: 'Lost' } })).body.id;
    await lost.put(project, 'lost.txt', 'lost');
    rmSync(blobIn(lost.folder));
    const folder = newFolder(context);
    const { code, err } = await adminHere(lost.settings, 'backup', folder);
    assert.deepEqual([code, /The bytes of 1 blobs are missing or damaged/.test(err)], [1, true], err);
    assert.equal(existsSync(join(folder, 'moments')), false);
  });

  test('names missing or truncated bytes also when bytes stay in their store', async (context) => {
    const s3 = await startS3();
    context.after(() => s3.close());
    const lost = await openTestApp(s3.settings);
    context.after(() => lost.stop());
    const project = (await lost.call('POST', '/v1/projects', { body: { name: 'Lost' } })).body.id;
    for (const name of ['whole.txt', 'cut.txt', 'gone.txt']) {
      const id = await lost.put(project, name, name);
      assert.equal((await lost.call('GET', `/v1/files/${id}`)).text, name);
    }
    const whole = newFolder(context);
    const made = await adminHere(lost.settings, 'backup', whole, '--list-bytes');
    assert.equal(made.code, 0, made.err);
    const verified = await adminHere({}, 'verify-backup', whole);
    assert.deepEqual([verified.code, /bytes .*were not checked/.test(verified.out)], [0, true], verified.out);
    const blobs = [...s3.bucket.objects.keys()].filter((key) => key.includes('/blobs/'));
    const [cut, gone] = ['cut.txt', 'gone.txt'].map((text) =>
      blobs.find((key) => s3.bucket.get(key).bytes.toString() === text),
    );
    s3.bucket.get(cut ?? '').bytes = Buffer.from('cut');
    s3.bucket.objects.delete(gone ?? '');
    const folder = newFolder(context);
    const { code, err } = await adminHere(lost.settings, 'backup', folder, '--list-bytes');
    assert.deepEqual([code, /The bytes of 2 blobs are missing or damaged/.test(err)], [1, true], err);
    assert.equal(existsSync(join(folder, 'moments')), false);
  });

  test('killed while it is made, it is no backup, and the next one needs no advice', async (context) => {
    const folder = newFolder(context);
    await killWhen(() => existsSync(join(folder, 'moments')), app.settings, 'backup', folder);
    const { code, err } = await adminHere({}, 'verify-backup', folder);
    assert.deepEqual([code, /no complete backup/.test(err)], [1, true], err);
    const again = await adminHere(app.settings, 'backup', folder, '--keep', '1');
    assert.equal(again.code, 0, again.err);
    const listed = await adminHere({}, 'backup', 'ls', folder);
    assert.match(listed.out, /^backups: 1\n {2}\S+ complete /, 'the one that was cut off is gone');
    const whole = await admin({}, 'backup', 'verify', folder);
    assert.deepEqual([whole.code, /complete and undamaged/.test(whole.out)], [0, true], whole.err);
  });

  const isFan = (name: string) => /^[0-9a-f]{2}$/.test(name);
  const moments: [string, (folder: string) => boolean][] = [
    ['it began', (folder) => existsSync(join(folder, 'restore-unfinished.json'))],
    [
      'bytes came',
      (folder) => existsSync(join(folder, 'blobs')) && readdirSync(join(folder, 'blobs')).some(isFan),
    ],
    ['rows came', (folder) => existsSync(join(folder, 'records.sqlite.filling'))],
  ];
  for (const records of ['sqlite', 'postgres'] as const) {
    test(`an interrupted restore is not reported as done where others have made records meanwhile (${records})`, {
      skip: records === 'postgres' && postgresSkip,
    }, async (context) => {
      const place: Settings = await emptyPlace(context, records);
      const mark = join(place['PLOIDY_DATA_DIR'] ?? '', 'restore-unfinished.json');
      await killWhen(() => existsSync(mark), place, 'restore', made, ...keyOf());
      await look(place, async () => undefined);
      const again = await adminHere(place, 'restore', made, ...keyOf());
      assert.deepEqual([again.code, /The database is not empty/.test(again.err)], [1, true], again.err);
      assert.ok(existsSync(mark));
    });

    for (const [what, moment] of moments) {
      if (records === 'postgres' && what === 'rows came') continue;
      test(`killed when ${what}, a restore into ${records} is no service yet, and can be repeated`, async (context) => {
        const place: Settings = await emptyPlace(context, records);
        const folder = place['PLOIDY_DATA_DIR'] ?? '';
        await killWhen(() => moment(folder), place, 'restore', made, ...keyOf());
        const early = await adminHere(place, 'verify-audit');
        assert.notEqual(early.code, 0);
        assert.match(early.err, /did not come to its end: run "ploidy admin restore"/);
        const again = await adminHere(place, 'restore', made, ...keyOf());
        assert.equal(again.code, 0, again.err);
        assert.equal(await assertWhole(place), 40);
      });
    }
  }
});
