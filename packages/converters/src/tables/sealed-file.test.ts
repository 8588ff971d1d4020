import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sealFile } from '../../../engine/src/worker/digest.ts';
import { SealedFile } from './sealed-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-sealed-'));
after(() => rmSync(folder, { recursive: true }));

test('size and digest of a sealed file match its content, at any size', async () => {
  for (const pieceCount of [0, 1, 7, 100]) {
    const path = join(folder, String(pieceCount));
    const file = new SealedFile(path);
    for (let piece = 0; piece < pieceCount; piece += 1) file.write(Buffer.alloc(70_000, piece));
    const seal = await file.end();
    assert.deepEqual(seal, await sealFile(path));
    assert.equal(seal.size, pieceCount * 70_000);
  }
});

test('a sealed file that was given up accepts nothing more, and is never written over another', () => {
  const path = join(folder, 'given-up');
  const file = new SealedFile(path);
  file.close();
  assert.throws(() => file.write(Buffer.from('x')), /The file has ended/);
  assert.throws(() => new SealedFile(path), { code: 'EEXIST' });
});
