import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { bamBytes } from '../../../../../../../test/support/bam.ts';
import type { ByteRange } from '../../../../platform/blobs/blobs.ts';
import { ByteBoundedCache, Contents, RefusedFile } from './contents.ts';

const bytes = bamBytes({ references: [['chr1', 100]], reads: [] });
const blob = { key: 'key', size: bytes.length, sha256: '' };

/** Contents over one BAM, and how often it was opened. */
function contentsOf() {
  const opened = { count: 0 };
  const open = async (_key: string, range?: ByteRange): Promise<Readable> => {
    opened.count += 1;
    return Readable.from([bytes.subarray(range?.start, range?.end)]);
  };
  return { opened, contents: new Contents({ open }, 1_000_000) };
}

test('a refused header is not read again', async () => {
  const { opened, contents } = contentsOf();
  for (let attempt = 0; attempt < 3; attempt++)
    await assert.rejects(contents.header({ blob, readAs: 'VARIANTS' }), (error) => {
      assert.ok(error instanceof RefusedFile);
      return /not a VCF/.test(error.message);
    });
  assert.equal(opened.count, 1);
});

test('bytes refused as variants are still given as reads', async () => {
  const { contents } = contentsOf();
  await assert.rejects(contents.header({ blob, readAs: 'VARIANTS' }));
  assert.equal((await contents.header({ blob, readAs: 'BAM' })).format, 'BAM');
});

/** Makes a cache of 100 bytes whose values are their own sizes, and the list of computed keys. */
function cacheOf(sizes: Record<string, number>) {
  const made: string[] = [];
  const cache = new ByteBoundedCache<number>(100, (size) => size);
  const get = (key: string) =>
    cache.get(key, async () => {
      made.push(key);
      return sizes[key] ?? 0;
    });
  return { cache, get, made };
}

test('the least recently used entry is evicted first, and computed again on demand', async () => {
  const { cache, get, made } = cacheOf({ a: 40, b: 40, c: 40 });
  await get('a');
  await get('b');
  await get('a');
  await get('c');
  assert.equal(cache.bytes, 80);
  await get('a');
  assert.deepEqual(made, ['a', 'b', 'c']);
  await get('b');
  assert.deepEqual(made, ['a', 'b', 'c', 'b']);
  assert.equal(cache.bytes, 80);
});

test('a value larger than the cache is returned to its callers and not kept, and evicts no other', async () => {
  const { cache, get, made } = cacheOf({ small: 10, huge: 101 });
  await get('small');
  assert.deepEqual(await Promise.all([get('huge'), get('huge')]), [101, 101]);
  assert.equal(cache.bytes, 10);
  await get('huge');
  await get('small');
  assert.deepEqual(made, ['small', 'huge', 'huge']);
});

test('concurrent requests share one computation; a failure reaches all of them and is not kept', async () => {
  const cache = new ByteBoundedCache<string>(100, () => 10);
  let attempts = 0;
  const fail = async (): Promise<string> => {
    attempts += 1;
    throw new Error(`attempt ${attempts}`);
  };
  const results = await Promise.allSettled([cache.get('a', fail), cache.get('a', fail)]);
  assert.ok(results.every((one) => one.status === 'rejected' && one.reason.message === 'attempt 1'));
  await assert.rejects(cache.get('a', fail), /attempt 2/);
  assert.equal(await cache.get('a', async () => 'made'), 'made');
  assert.deepEqual([attempts, cache.bytes], [2, 10]);
});
