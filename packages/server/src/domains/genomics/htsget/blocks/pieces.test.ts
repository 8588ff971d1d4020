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
import { bgzf } from '../../../../../../../test/support/bam.ts';
import { prepareSqlite } from '../../../../../../../test/support/prepared-records.ts';
import { silent } from '../../../../../../../test/support/records.ts';
import { diskBlobs } from '../../../../platform/blobs/index.ts';
import { openRecords } from '../../../../platform/records/index.ts';
import { BgzfBlob } from './bgzf-blob.ts';
import { pieceOf } from './block-stream.ts';
import { piecesOf } from './pieces.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-pieces-'));
after(() => rmSync(folder, { recursive: true, force: true }));
// The store's joining threads do not keep the process alive.
const alive = setInterval(() => undefined, 1000);
after(() => clearInterval(alive));

const blockBytes = 5000;
const content = Buffer.from(Array.from({ length: 60_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 24));
prepareSqlite({ dataFolder: folder, databaseUrl: '' });
const records = await openRecords({ folder, log: silent });
after(() => records.close());
const blobs = diskBlobs({ folder, records });
const file = new BgzfBlob(blobs, await blobs.put(Readable.from([bgzf(content, { blockBytes })])));
const starts: number[] = [];
for await (const { start } of file.blocks()) starts.push(start);

/** Returns the virtual offset of an uncompressed byte. */
const place = (at: number): number =>
  virtualOffset(starts[Math.floor(at / blockBytes)] ?? 0, at % blockBytes);

test('pieces of any size add up to their chunk, and all respect the limit', async () => {
  const bounds = fc.uniqueArray(fc.nat(content.length - 1), { minLength: 2, maxLength: 2 });
  const sizes = fc.oneof(fc.integer({ min: 6000, max: 20_000 }), fc.constant(1_000_000));
  await fc.assert(
    fc.asyncProperty(bounds, sizes, async (ends, bytes) => {
      const [from = 0, to = 0] = ends.toSorted((one, other) => one - other);
      const chunk = { begin: place(from), end: place(to) };
      const parts: Buffer[] = [];
      for (const piece of piecesOf(chunk, bytes)) {
        const { size, open } = await pieceOf(file, piece);
        const part = await buffer(await open());
        assert.equal(part.length, size);
        // One new block per edge, plus the block in which the piece ends.
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
