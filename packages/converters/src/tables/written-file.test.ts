import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WrittenFile } from './written-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-written-'));
after(() => rmSync(folder, { recursive: true }));

test('a written file holds all bytes in their order, and takes none after its end', () => {
  const path = join(folder, 'rows');
  const file = new WrittenFile(path);
  for (const text of ['one', '', 'two']) file.write(Buffer.from(text));
  file.close();
  file.close();
  assert.equal(readFileSync(path, 'utf8'), 'onetwo');
  assert.throws(() => file.write(Buffer.from('three')), /The file has ended/);
});

test('a file that is there already is not written over', () => {
  const path = join(folder, 'twice');
  new WrittenFile(path).close();
  assert.throws(() => new WrittenFile(path), { code: 'EEXIST' });
});
