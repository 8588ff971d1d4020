import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { InputError } from '@ploidy/formats/input-error';
import { bgzf } from '../../../../../../../test/support/bam.ts';
import { Problem } from '../../../../base/problem.ts';
import type { Blobs, ByteRange } from '../../../../platform/blobs/blobs.ts';
import { Contents } from './ticket-source.ts';

const bytes = bgzf(Buffer.from('BAM or not'));
const blob = { key: 'key', size: bytes.length, sha256: '' };

/** Contents over one blob, and how often it was opened. */
function contentsOf() {
  const opened = { count: 0 };
  const open = async (_key: string, range?: ByteRange): Promise<Readable> => {
    opened.count += 1;
    return Readable.from([bytes.subarray(range?.start, range?.end)]);
  };
  return { opened, contents: new Contents({ open } as unknown as Blobs, 1_000_000) };
}

const refuse = (): never => {
  throw new InputError('The header lists too many sequences.');
};

test('a refused header is not read again', async () => {
  const { opened, contents } = contentsOf();
  for (let attempt = 0; attempt < 3; attempt++)
    await assert.rejects(contents.header('variants', blob, refuse), (error) => {
      assert.ok(error instanceof Problem && error.status === 400);
      return /too many sequences/.test(error.message);
    });
  assert.equal(opened.count, 1);
});

test('bytes refused as variants are still given as reads', async () => {
  const { contents } = contentsOf();
  await assert.rejects(contents.header('variants', blob, refuse));
  const read = () => ({ format: 'BAM' as const, size: 3, references: [] });
  assert.equal((await contents.header('reads', blob, read)).format, 'BAM');
});
