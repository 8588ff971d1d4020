import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { withLock } from './lock.ts';

let folder: string;
let path: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ploidy-lock-'));
  path = join(folder, 'lock');
});
after(() => rmSync(folder, { recursive: true }));

/** Leaves a file as a process does that was killed an hour ago. */
function leaveBehind(file: string): void {
  writeFileSync(file, 'of a killed process');
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(file, hourAgo, hourAgo);
}

test('a lock is there while the work lasts, and gone after it has succeeded or failed', async () => {
  assert.equal(await withLock(path, async () => existsSync(path)), true);
  assert.equal(existsSync(path), false);
  const error = new Error('failed');
  await assert.rejects(
    withLock(path, () => Promise.reject(error)),
    error,
  );
  assert.equal(existsSync(path), false);
});

test('a lock and a guard that killed processes left behind are taken over', async () => {
  leaveBehind(path);
  leaveBehind(`${path}.guard`);
  assert.notEqual(await withLock(path, async () => readFileSync(path, 'utf8')), 'of a killed process');
  assert.deepEqual([existsSync(path), existsSync(`${path}.guard`)], [false, false]);
});

test('a process that has lost its lock leaves that of the next one', async () => {
  await withLock(path, async () => writeFileSync(path, 'of the next process'));
  assert.equal(readFileSync(path, 'utf8'), 'of the next process');
  rmSync(path);
});

test('work under one lock is done one after the other', async () => {
  let running = 0;
  const work = async () => {
    running += 1;
    await new Promise(setImmediate);
    assert.equal(running, 1);
    running -= 1;
  };
  await Promise.all([1, 2, 3].map(() => withLock(path, work)));
});
