import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { digestFile } from '../../../engine/src/task-runtime/digest.ts';
import { DigestedFile } from './digested-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-digested-'));
after(() => rmSync(folder, { recursive: true }));

test('size and digest of a digested file match its content, at any size', async () => {
  for (const pieceCount of [0, 1, 7, 100]) {
    const path = join(folder, String(pieceCount));
    const file = new DigestedFile(path);
    for (let piece = 0; piece < pieceCount; piece += 1) file.write(Buffer.alloc(70_000, piece));
    const digest = await file.end();
    assert.deepEqual(digest, await digestFile(path));
    assert.equal(digest.size, pieceCount * 70_000);
  }
});

test('a digested file that was given up accepts no more bytes, and no file is written over another', () => {
  const path = join(folder, 'given-up');
  const file = new DigestedFile(path);
  file.close();
  assert.throws(() => file.write(Buffer.from('x')), /The file has ended/);
  assert.throws(() => new DigestedFile(path), { code: 'EEXIST' });
});
