import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { readContainer, readCramBlock } from '@ploidy/formats';
import { generator, mutated } from '../../../../test/support/mutations.ts';
import { convertReads } from '../genomics-conversion.fixture.ts';

const folder = new URL('../../../../test/inputs/cram/', import.meta.url);
const names = ['reference.cram', 'embedded.cram', 'without.cram'];
const roundsPerFile = 150;

/** Makes the checksums of all containers that can still be followed match their bytes. */
function withChecksums(source: Uint8Array): Uint8Array {
  const bytes = Buffer.from(source);
  try {
    for (let start = 26; start < bytes.length; ) {
      const { headerBytes, length, blocks } = readContainer(bytes.subarray(start));
      bytes.writeUInt32LE(crc32(bytes.subarray(start, start + headerBytes - 4)), start + headerBytes - 4);
      let at = start + headerBytes;
      for (let index = 0; index < blocks; index += 1) {
        const { checked, end } = readCramBlock(bytes, at);
        bytes.writeUInt32LE(crc32(checked), end - 4);
        at = end;
      }
      start += headerBytes + length;
    }
  } catch (error) {
    if (!(error instanceof Error) || !/InputError|ShortCramError|RangeError/.test(error.name)) throw error;
  }
  return bytes;
}

test('a mutated CRAM ends in an index or an InputError, nothing else', async () => {
  const random = generator(20260809);
  let indexed = 0;
  for (const name of names) {
    const stored = readFileSync(new URL(name, folder));
    for (let round = 0; round < roundsPerFile; round += 1) {
      const changed = mutated(stored, random);
      // Every fourth time checksums find it.
      const source = round % 4 === 0 ? changed : withChecksums(changed);
      try {
        const { made } = await convertReads(source, {}, undefined, 'cram');
        if (made.summary.records > 0) indexed += 1;
      } catch (error) {
        assert.ok(
          error instanceof Error && /^(?:Input|ShortCram)Error$/.test(error.name),
          `${name}, round ${round}: ${error instanceof Error ? error.stack : error}`,
        );
      }
    }
  }
  assert.ok(indexed > 0, 'some are still whole enough');
});
