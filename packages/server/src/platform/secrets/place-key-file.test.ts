import assert from 'node:assert/strict';
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { placeKeyFile } from './place-key-file.ts';

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-key-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'secrets');
}

test('a key file takes the place of the one before, for its owner only, and nothing is left beside it', (context) => {
  const folder = folderOf(context);
  const path = join(folder, 'master.key');
  for (const text of ['first', 'second']) {
    placeKeyFile(path, text);
    assert.equal(readFileSync(path, 'utf8'), text);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['master.key']);
  }
});

test('a key file is on the disk before it takes its place, and its folder after that', (context) => {
  const steps: string[] = [];
  const { fsyncSync } = fs;
  context.mock.method(fs, 'fsyncSync', (handle: number) => {
    fsyncSync(handle);
    steps.push(fs.fstatSync(handle).isDirectory() ? 'folder synced' : 'file synced');
  });
  syncBuiltinESMExports();
  try {
    placeKeyFile(join(folderOf(context), 'master.key'), 'key', (from, to) => {
      fs.renameSync(from, to);
      steps.push('in its place');
    });
  } finally {
    context.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.deepEqual(steps, ['file synced', 'in its place', 'folder synced']);
});
