import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { bgzf } from '../../../../test/support/bam.ts';
import { generator, mutated } from '../../../../test/support/mutations.ts';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertReads } from '../genomics-conversion.fixture.ts';

const names = [
  'HG00096.low_coverage.bam',
  'bgzf_boundaries1.bam',
  'htslib_colons.bam',
  'htslib_no_hdr_sq_1.bam',
  'quickcheck_badeof.bam',
];
const roundsPerFile = 80;

test('a mutated real BAM ends in an index or an InputError, nothing else', {
  skip: sharedDataSkip,
}, async () => {
  const random = generator(20260506);
  let indexed = 0;
  for (const name of names) {
    const stored = readFileSync(sharedData(`bam/${name}`));
    const content = gunzipSync(stored);
    for (let round = 0; round < roundsPerFile; round += 1) {
      // Every fourth mutation hits the stored bytes, the others their content, so that checksums do not find it.
      const source = round % 4 === 0 ? mutated(stored, random) : bgzf(mutated(content, random));
      try {
        const { made, bytes } = await convertReads(
          source,
          {},
          round % 8 === 0 ? mutated(stored, random) : undefined,
        );
        assert.ok(bytes.length >= 8);
        if (made.summary.records > 0) indexed += 1;
      } catch (error) {
        assert.ok(error instanceof Error && error.name === 'InputError', `${name}, round ${round}: ${error}`);
      }
    }
  }
  assert.ok(indexed > 0, 'some are still whole enough');
});
