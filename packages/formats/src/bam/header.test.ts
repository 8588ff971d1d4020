import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { InputError } from '../input-error.ts';
import { parseSamHeader, readBamHeader } from './index.ts';

/** Returns an uncompressed header. */
function headerBytes(text: string, references: [string, number][]): Buffer {
  const parts: Buffer[] = [Buffer.from('BAM\x01'), int32(text.length), Buffer.from(text)];
  parts.push(int32(references.length));
  for (const [name, length] of references) {
    parts.push(int32(name.length + 1), Buffer.from(`${name}\0`), int32(length));
  }
  return Buffer.concat(parts);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

const two = headerBytes('@HD\tVN:1.6\n', [
  ['chr1', 1000],
  ['chr1,chr3', 2000],
]);

describe('the binary header', () => {
  test('text and references are read, and where the records begin', () => {
    assert.deepEqual(readBamHeader(Buffer.concat([two, Buffer.from('record')])), {
      text: '@HD\tVN:1.6\n',
      references: [
        { name: 'chr1', length: 1000 },
        { name: 'chr1,chr3', length: 2000 },
      ],
      size: two.length,
    });
  });

  test('each prefix of a header reports how much more is needed, never more than there is', () => {
    for (let size = 0; size < two.length; size += 1) {
      const header = readBamHeader(two.subarray(0, size));
      assert.ok('bytesNeeded' in header && header.bytesNeeded > size && header.bytesNeeded <= two.length);
    }
  });

  test('the longest list is read in seconds, however small its pieces, and a longer one is refused', () => {
    const list = (count: number): Buffer => {
      const bytes = Buffer.alloc(12 + count * 40);
      headerBytes('', []).copy(bytes);
      bytes.writeInt32LE(count, 8);
      for (let at = 12, id = 0; id < count; at += 40, id += 1) {
        bytes.writeInt32LE(32, at);
        bytes.write(`contig_${id}`.padEnd(31, '_'), at + 4, 'latin1');
      }
      return bytes;
    };
    const whole = list(1_000_000);
    let header = readBamHeader(whole.subarray(0, 12));
    while ('bytesNeeded' in header) header = readBamHeader(whole.subarray(0, header.bytesNeeded));
    assert.equal(header.references.length, 1_000_000);
    assert.equal(header.size, whole.length);
    assert.throws(() => readBamHeader(list(1_000_001)), /more than 1000000 sequences/);
  });

  test('lengths that cannot be are refused before anything is read by them', () => {
    const broken = (at: number, value: number) => {
      const bytes = Buffer.from(two);
      bytes.writeInt32LE(value, at);
      return bytes;
    };
    for (const value of [-1, -(2 ** 31), 2 ** 31 - 1]) {
      for (const at of [4, 8 + 11, 8 + 11 + 4]) {
        assert.throws(() => readBamHeader(broken(at, value)), InputError);
      }
    }
    assert.throws(() => readBamHeader(Buffer.from('CRAM and more of it')), InputError);
  });

  test('a text padded with zeros ends before them', () => {
    const header = readBamHeader(headerBytes('@HD\tVN:1.0\n\0\0\0', []));
    assert.ok('text' in header);
    assert.equal(header.text, '@HD\tVN:1.0\n');
  });

  test('the header of a real file is read', { skip: sharedDataSkip }, async () => {
    const header = readBamHeader(gunzipSync(await readFile(sharedData('bam/htsnexus_test_NA12878.bam'))));
    assert.ok('text' in header);
    assert.equal(header.references.length, 86);
    const sam = parseSamHeader(header.text);
    assert.equal(sam.sequences.length, 86);
    assert.deepEqual(
      sam.readGroups.map((tags) => [tags.get('ID'), tags.get('SM'), tags.get('PI')]),
      [['SRR098401', 'NA12878', '220']],
    );
  });
});

test('lines and fields that are none are passed over, and a repeated tag counts once', () => {
  const sam = parseSamHeader(
    '@HD\tVN:1.6\tSO:coordinate\r\n@CO\tSN:x\n\nrubbish\n@RG\tID:a\tID:b\tnone\tDS:x:y\n@PG\n',
  );
  assert.equal(sam.file.get('SO'), 'coordinate');
  assert.deepEqual(sam.sequences, []);
  assert.deepEqual(sam.readGroups, [
    new Map([
      ['ID', 'a'],
      ['DS', 'x:y'],
    ]),
  ]);
  assert.deepEqual(sam.programs, [new Map()]);
});
