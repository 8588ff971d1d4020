import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { bamBytes } from '../../../../../../../test/support/bam.ts';
import type { ByteRange } from '../../../../platform/blobs/blobs.ts';
import { Contents, RefusedFile } from './contents.ts';

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
