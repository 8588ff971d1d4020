import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { filesUnder } from './local-files.ts';

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ploidy-folder-'));
  mkdirSync(join(folder, 'a'));
  mkdirSync(join(folder, '.git'));
  for (const name of ['a/x y.csv', 'b#1%25.csv', 'e\u0301.csv', '\u00e9.csv', '.git/no', 'a/.no'])
    writeFileSync(join(folder, name), name);
  symlinkSync('a', join(folder, 'again'));
  symlinkSync('../b#1%25.csv', join(folder, 'a', 'link.csv'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const names = (): string[] => filesUnder(folder, { prefix: 'run/' }, '').map(({ name }) => name);
const expected = ['a/link.csv', 'a/x y.csv', 'again/link.csv', 'again/x y.csv'];

test('the files of a folder are listed once, with those of linked folders, and without hidden ones', () => {
  const all = [...expected, 'b#1%25.csv', 'e\u0301.csv', '\u00e9.csv'].map((name) => `run/${name}`);
  assert.deepEqual(names(), all);
});

test('a link to a folder that holds it is not followed', () => {
  symlinkSync('..', join(folder, 'a', 'loop'));
  const before = names().length;
  rmSync(join(folder, 'a', 'loop'));
  assert.equal(before, names().length);
});

test('an entry that cannot be read is an error and not absent', () => {
  symlinkSync('nothing', join(folder, 'gone.csv'));
  assert.throws(names, /gone\.csv cannot be read/);
  rmSync(join(folder, 'gone.csv'));
});
