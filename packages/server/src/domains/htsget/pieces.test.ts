import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { blockStartOf, virtualOffset } from '@ploidy/formats';
import fc from 'fast-check';
import { bgzf } from '../../../../../test/support/bam.ts';
import { diskBlobs } from '../../platform/blobs/disk.ts';
import { BgzfBlob } from './bgzf-blob.ts';
import { piecesOf } from './pieces.ts';
import { pieceOf } from './stretch.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-pieces-'));
after(() => rmSync(folder, { recursive: true, force: true }));
// The joining threads of the store keep no process alive.
const alive = setInterval(() => undefined, 1000);
after(() => clearInterval(alive));

const blockBytes = 5000;
const content = Buffer.from(Array.from({ length: 60_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 24));
const blobs = diskBlobs({ folder });
const file = new BgzfBlob(blobs, await blobs.put(Readable.from([bgzf(content, { blockBytes })])));
const starts: number[] = [];
for await (const { start } of file.blocks()) starts.push(start);

/** The virtual offset of an uncompressed byte. */
const place = (at: number): number =>
  virtualOffset(starts[Math.floor(at / blockBytes)] ?? 0, at % blockBytes);

test('pieces of a chunk, whatever their size, are together just what it holds, and none is much larger than it may be', async () => {
  const bounds = fc.uniqueArray(fc.nat(content.length - 1), { minLength: 2, maxLength: 2 });
  const sizes = fc.oneof(fc.integer({ min: 6000, max: 20_000 }), fc.constant(1_000_000));
  await fc.assert(
    fc.asyncProperty(bounds, sizes, async (ends, bytes) => {
      const [from = 0, to = 0] = ends.toSorted((one, other) => one - other);
      const chunk = { begin: place(from), end: place(to) };
      const parts: Buffer[] = [];
      for (const piece of piecesOf(chunk, bytes)) {
        const { size, open } = await pieceOf(file, piece);
        const part = await buffer(open());
        assert.equal(part.length, size);
        // A new block for each edge, and the block that the piece ends in.
        assert.ok(size <= bytes * 1.125 + 3 * blockBytes * 1.1, `${size} bytes`);
        parts.push(part);
      }
      assert.ok(gunzipSync(Buffer.concat(parts)).equals(content.subarray(from, to)));
      const whole = blockStartOf(chunk.end) - blockStartOf(chunk.begin);
      assert.ok(parts.length >= Math.floor(whole / (bytes * 1.125)), 'large chunks are cut');
    }),
    { numRuns: 60 },
  );
});
