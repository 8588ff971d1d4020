/** Files that a release writes by itself: the same content makes the same bytes, and readers of others find it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { zipMembers } from '../../packages/converters/src/study/zip.ts';
import { writeArchive, writeImage } from '../../release/image/layout.ts';
import { entriesOf, folderEntry } from '../../release/tree.ts';
import { writeZip } from '../../release/zip.ts';

const modifiedAt = Date.UTC(2026, 10, 29, 10) / 1000;

function scratch(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-archives-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const longName = `${'a'.repeat(90)}/${'b'.repeat(90)}.txt`;

/** Makes a folder with a program, a text of a long name and, for Linux, a link. */
function sample(context: TestContext, { mode = 0o644, hasLink = true, at = 1 } = {}): string {
  const folder = scratch(context);
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'a'.repeat(90)));
  writeFileSync(join(folder, 'bin/run'), 'program', { mode: 0o700 });
  writeFileSync(join(folder, longName), 'text');
  chmodSync(join(folder, longName), mode);
  utimesSync(join(folder, longName), at, at);
  if (hasLink) symlinkSync('bin/run', join(folder, 'link'));
  return folder;
}

const config = (architecture: string) => ({
  created: '2026-11-29T10:00:00.000Z',
  architecture,
  os: 'linux' as const,
  config: { Labels: { 'org.opencontainers.image.version': '1.2.3' } },
});
const nameOf = (digest: string): string => digest.replace('sha256:', '');

/** Writes an archive of two images; returns the folder of their blobs, and the bytes of the archive. */
async function twoImages(context: TestContext, content: string) {
  const folder = scratch(context);
  const blobs = join(folder, 'blobs');
  const layers = [
    [folderEntry('data/', modifiedAt, { mode: 0o700, owner: 10001 })],
    entriesOf(content, { prefix: 'opt/', modifiedAt }),
  ];
  const images = [
    await writeImage(blobs, config('amd64'), layers),
    await writeImage(blobs, config('arm64'), layers),
  ];
  const path = join(folder, 'image.tar');
  await writeArchive(path, blobs, images, { name: 'ploidy:1.2.3', modifiedAt });
  return { blobs, path, images, bytes: readFileSync(path) };
}

test('every blob of an image has the digest that names it, and a layer that of its bytes before compression', async (context) => {
  const { blobs, path, images } = await twoImages(context, sample(context));
  for (const name of readdirSync(blobs))
    assert.equal(
      createHash('sha256')
        .update(readFileSync(join(blobs, name)))
        .digest('hex'),
      name,
    );
  for (const { config: about, layers, manifest } of images) {
    const { rootfs } = JSON.parse(readFileSync(join(blobs, nameOf(about.digest)), 'utf8'));
    assert.deepEqual(
      rootfs.diff_ids,
      layers.map(({ digest }) => {
        const bytes = gunzipSync(readFileSync(join(blobs, nameOf(digest))));
        return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      }),
    );
    const listed = JSON.parse(readFileSync(join(blobs, nameOf(manifest.digest)), 'utf8'));
    assert.deepEqual([listed.config, listed.layers.length], [about, 2]);
  }
  const list = execFileSync('tar', ['--list', '--file', path], { encoding: 'utf8' }).trim().split('\n');
  const found = list.filter((name) => name.startsWith('blobs/sha256/') && !name.endsWith('/'));
  assert.deepEqual(
    found.toSorted(),
    readdirSync(blobs)
      .map((name) => `blobs/sha256/${name}`)
      .toSorted(),
  );
});

test('images are the same bytes for the same content, whatever the masks and clocks of machines are', async (context) => {
  const one = await twoImages(context, sample(context));
  const other = await twoImages(context, sample(context, { mode: 0o600, at: 99 }));
  assert.ok(one.bytes.equals(other.bytes));
});

test('a layer keeps owners, permissions, links, and long names', async (context) => {
  const { blobs, images } = await twoImages(context, sample(context));
  const listed = (images[0]?.layers ?? []).map(({ digest }) => {
    const words = [
      '--list',
      '--verbose',
      '--gzip',
      '--numeric-owner',
      '--utc',
      '--file',
      join(blobs, nameOf(digest)),
    ];
    return execFileSync('tar', words, { encoding: 'utf8' });
  });
  assert.match(listed[0] ?? '', /^drwx------ 10001\/10001 +0 2026-11-29 10:00 data\/$/m);
  assert.match(listed[1] ?? '', /^-rwxr-xr-x 0\/0 +7 2026-11-29 10:00 opt\/bin\/run$/m);
  assert.match(listed[1] ?? '', /^lrwxrwxrwx 0\/0 .* opt\/link -> bin\/run$/m);
  assert.ok((listed[1] ?? '').includes(` opt/${longName}\n`));
});

test('a ZIP has the bytes of its files', async (context) => {
  const content = sample(context, { hasLink: false });
  const entries = entriesOf(content, { prefix: 'ploidy/', modifiedAt });
  const path = join(scratch(context), 'a.zip');
  await writeZip(path, entries);
  const found: Record<string, string> = {};
  for await (const { name, bytes } of zipMembers(path, () => undefined))
    found[name] = String(await buffer(bytes()));
  assert.deepEqual(found, { 'ploidy/bin/run': 'program', [`ploidy/${longName}`]: 'text' });
  assert.ok(
    readFileSync(path).equals(await again(context, { at: 99 })),
    'the same content has the same bytes',
  );
});

async function again(context: TestContext, made: { at: number }): Promise<Buffer> {
  const entries = entriesOf(sample(context, { hasLink: false, ...made }), { prefix: 'ploidy/', modifiedAt });
  const path = join(scratch(context), 'a.zip');
  await writeZip(path, entries);
  return readFileSync(path);
}
