import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { onS3 } from '../stores.fixture.ts';
import { bytesBody } from './body.ts';
import { joinPieces } from './join.ts';
import type { Range } from './write.ts';

const mebibyte = 1024 ** 2;

test('parts of a joined object hold all bytes in order, each large enough for S3 but the last', async () => {
  const size = fc.oneof(fc.nat(10), fc.nat(12 * mebibyte), fc.nat(3000 * mebibyte));
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 12 }), async (sizes) => {
      const objects = sizes.map((bytes, index) => ({ key: String(index), etag: '"x"', size: bytes }));
      const byHand: Range[][] = [];
      const pieces = joinPieces(objects, async (ranges) => {
        byHand.push(ranges);
        return bytesBody('');
      });
      const ranges: Range[][] = [];
      for (const piece of pieces) {
        if ('from' in piece) ranges.push([piece.from]);
        else {
          await piece.body();
          ranges.push(byHand.at(-1) ?? []);
        }
      }
      const bytesOf = (some: Range[]): number => some.reduce((sum, { start, end }) => sum + end - start, 0);
      for (const part of ranges.slice(0, -1)) assert.ok(bytesOf(part) >= 5 * mebibyte);
      for (const part of ranges) assert.ok(bytesOf(part) > 0 && bytesOf(part) <= 1024 * mebibyte);
      for (const part of byHand) assert.ok(bytesOf(part) <= 10 * mebibyte);
      const expected = objects.filter((object) => object.size > 0);
      let at = { object: 0, byte: 0 };
      for (const { key, start, end } of ranges.flat()) {
        assert.deepEqual([key, start], [expected[at.object]?.key, at.byte]);
        const isEnd = end === expected[at.object]?.size;
        at = isEnd ? { object: at.object + 1, byte: 0 } : { ...at, byte: end };
      }
      assert.deepEqual(at, { object: expected.length, byte: 0 });
    }),
  );
});

test('joined blobs are one blob with their bytes in order, and they stay', async (context) => {
  const { store } = await onS3(context);
  const { blobs } = store;
  for (const sizes of [
    [],
    [0],
    [3, 4],
    [6 * mebibyte],
    [6 * mebibyte, 3, 0, 5 * mebibyte, 7 * mebibyte, 2],
  ]) {
    const bodies = sizes.map((size) => randomBytes(size));
    const keys: string[] = [];
    for (const body of bodies) keys.push((await blobs.put(Readable.from([body]))).key);
    const whole = Buffer.concat(bodies);
    const joined = await blobs.join(keys);
    assert.equal(joined.size, whole.length);
    assert.equal(joined.sha256, createHash('sha256').update(whole).digest('hex'));
    assert.ok((await buffer(await blobs.open(joined.key))).equals(whole));
    for (const [index, key] of keys.entries()) {
      assert.ok((await buffer(await blobs.open(key))).equals(bodies[index] ?? Buffer.of(1)));
    }
  }
});
