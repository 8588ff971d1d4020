import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { generator, mutatedText } from '../../../../test/support/mutations.ts';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { annotationsOfText, convertText } from './conversion.fixture.ts';

const names = [
  'spec-v4.3.vcf.gz',
  'vep_clinvar_testset.vcf.gz',
  'snpeff_chr22.ann.vcf',
  '1kgPhase3.chr1.vcf.gz',
  'igv_cnv.vcf',
];
const roundsPerFile = 40;

test('a mutated real file ends in rows or an InputError, nothing else', {
  skip: sharedDataSkip,
}, async () => {
  const random = generator(20260504);
  for (const name of names) {
    const stored = await readFile(sharedData(`vcf/${name}`));
    const text = name.endsWith('.gz') ? gunzipSync(stored) : stored;
    for (let round = 0; round < roundsPerFile; round += 1) {
      // Every eighth mutation hits the compressed bytes themselves.
      const source = mutatedText(round % 8 === 0 ? stored : text, random);
      const onError = round % 2 === 0 ? 'skip' : 'fail';
      const seen = `${name}, round ${round}`;
      try {
        const { tables, variants, calls, copies, fusions, sequences } = await convertText(source, {
          onError,
        });
        const read = [variants, calls, copies, fusions, sequences].reduce(
          (sum, rows) => sum + rows.length,
          0,
        );
        const reported = tables.reduce((sum, { rows }) => sum + rows, 0);
        assert.equal(reported, read, seen);
      } catch (error) {
        assert.ok(error instanceof Error && error.name === 'InputError', `${seen}: ${error}`);
      }
    }
  }
});

test('a mutated real annotation file ends in rows or an InputError, nothing else', {
  skip: sharedDataSkip,
}, async () => {
  const random = generator(20260508);
  for (const name of ['1kg.3.annotations.chr1.vcf.gz', 'OR4F_annotation.vcf.gz']) {
    const stored = await readFile(sharedData(`vcf/${name}`));
    const text = gunzipSync(stored).subarray(0, 64 * 1024);
    for (let round = 0; round < roundsPerFile / 2; round += 1) {
      const source = mutatedText(round % 8 === 0 ? stored : text, random);
      const onError = round % 2 === 0 ? 'skip' : 'fail';
      try {
        const { rows } = await annotationsOfText(source, { onError });
        assert.ok(rows.every((row) => typeof row['reference'] === 'string'));
      } catch (error) {
        assert.ok(error instanceof Error && error.name === 'InputError', `${name}, round ${round}: ${error}`);
      }
    }
  }
});
