import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { TabularType } from '@ploidy/formats';
import { generator, mutatedText } from '../../../../test/support/mutations.ts';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertText } from './conversion.fixture.ts';

const samples = join(import.meta.dirname, '../../../../samples/data/omic');
/** Enough for a header, comments and some hundred rows. */
const textBytes = 24 * 1024;
const roundsPerFile = 24;

const files: [type: TabularType, path: string][] = [
  ['maf', sharedData('maf/vcf2maf_test_b38_output.maf')],
  ['copynumber', sharedData('cnv/cnvkit_p2-9_2.call.cns')],
  ['expression', sharedData('expression/ga4gh_rsem_test_data.tsv')],
  ['expression', sharedData('expression/htseq_counts.tsv')],
  ['copynumber', join(samples, 'copynumber.csv')],
  ['expression', join(samples, 'expression.csv')],
  ['fusion', join(samples, 'fusion.csv')],
];

test('a mutated table of any kind ends in rows or an InputError, nothing else', {
  skip: sharedDataSkip,
}, async () => {
  const random = generator(20260509);
  let converted = 0;
  for (const [type, path] of files) {
    const text = readFileSync(path).subarray(0, textBytes);
    const stored = gzipSync(text);
    for (let round = 0; round < roundsPerFile; round += 1) {
      // Every eighth mutation hits the compressed bytes themselves; sometimes the file is read as a table of another kind.
      const source = mutatedText(round % 8 === 0 ? stored : text, random);
      const given = round % 11 === 10 ? (files[random(files.length)]?.[0] ?? type) : type;
      const onError = round % 2 === 0 ? 'skip' : 'fail';
      try {
        const { tables, rows, sequences, calls } = await convertText(given, source, {
          onError,
          sampleId: 'S1',
        });
        const read = tables.filter(({ table }) => table !== 'alteration' && table !== 'sample_profile');
        const reported = read.reduce((sum, table) => sum + table.rows, 0);
        assert.equal(reported, rows.length + sequences.length + calls.length, `${path}, round ${round}`);
        converted += 1;
      } catch (error) {
        assert.ok(
          error instanceof Error && error.name === 'InputError',
          `${path}, round ${round}: ${error instanceof Error ? error.stack : error}`,
        );
      }
    }
  }
  assert.ok(converted > files.length * 4, `${converted} were converted`);
});
