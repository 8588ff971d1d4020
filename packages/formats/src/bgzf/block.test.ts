import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { crc32, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { InputError } from '../input-error.ts';
import {
  blockBytesMax,
  blockStartOf,
  endOfFileBlock,
  readBlock,
  readTrailer,
  readVirtualOffset,
  virtualOffset,
  withinBlock,
  writeBlock,
  writeVirtualOffset,
} from './index.ts';

function blockOf(text: string): Uint8Array {
  const content = Buffer.from(text);
  return writeBlock(deflateRawSync(content), { crc32: crc32(content), size: content.length });
}

describe('blocks', () => {
  test('a written block is a gzip member with its size and content', () => {
    const bytes = Buffer.concat([blockOf('ACGT'), endOfFileBlock]);
    assert.equal(gunzipSync(bytes).toString(), 'ACGT');
    const block = readBlock(bytes, 0);
    assert.ok(block);
    assert.equal(inflateRawSync(bytes.subarray(block.dataStart, block.dataEnd)).toString(), 'ACGT');
    assert.deepEqual(readTrailer(bytes, block), { crc32: crc32('ACGT'), size: 4 });
    const last = readBlock(bytes, block.end);
    assert.equal(last?.end, bytes.length);
  });

  test('the size is found beside other extra fields', () => {
    const plain = blockOf('ACGT');
    const extra = Uint8Array.from([0x41, 0x42, 1, 0, 7]);
    const bytes = new Uint8Array([...plain.subarray(0, 12), ...extra, ...plain.subarray(12)]);
    const view = new DataView(bytes.buffer);
    view.setUint16(10, 6 + extra.length, true);
    view.setUint16(12 + extra.length + 4, bytes.length - 1, true);
    assert.equal(readBlock(bytes, 0)?.end, bytes.length);
    assert.equal(gunzipSync(bytes).toString(), 'ACGT');
  });

  test('bytes that are not all there are no fault; those that cannot be a block are', () => {
    const block = blockOf('ACGT');
    assert.equal(readBlock(block.subarray(0, 17), 0), undefined);
    assert.ok(readBlock(block.subarray(0, 18), 0));
    assert.throws(() => readBlock(gzipSync('ACGT'), 0), InputError);
    assert.throws(() => readBlock(new Uint8Array(30), 0), InputError);
    const tooShort = Uint8Array.from(block).fill(1, 16, 17).fill(0, 17, 18);
    assert.throws(() => readBlock(tooShort, 0), InputError);
  });

  test('nothing that is too large for a block is written', () => {
    assert.throws(() => writeBlock(new Uint8Array(10), { crc32: 0, size: blockBytesMax + 1 }), RangeError);
    assert.throws(() => writeBlock(new Uint8Array(blockBytesMax), { crc32: 0, size: 5 }), RangeError);
  });

  test('the blocks of a real file follow each other to its end', { skip: sharedDataSkip }, async () => {
    const bytes = await readFile(sharedData('bam/htsnexus_test_NA12878.bam'));
    let at = 0;
    let size = 0;
    while (at < bytes.length) {
      const block = readBlock(bytes, at);
      assert.ok(block);
      size += readTrailer(bytes, block).size;
      at = block.end;
    }
    assert.equal(at, bytes.length);
    assert.equal(size, gunzipSync(bytes).length);
    assert.deepEqual(bytes.subarray(-28), Buffer.from(endOfFileBlock));
  });
});

test('virtual offsets are exact as far as a file may be long', () => {
  for (const [start, within] of [
    [0, 0],
    [5, 65_535],
    [2 ** 37 - 1, 65_535],
  ] as const) {
    const offset = virtualOffset(start, within);
    assert.deepEqual([blockStartOf(offset), withinBlock(offset)], [start, within]);
    const view = new DataView(new ArrayBuffer(8));
    writeVirtualOffset(view, 0, offset);
    assert.equal(view.getBigUint64(0, true), (BigInt(start) << 16n) | BigInt(within));
    assert.equal(readVirtualOffset(view, 0), offset);
  }
});
