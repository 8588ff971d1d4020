/** Fuzzes reads beside a conversion: format detection, and the places of records. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { EngineError } from '@ploidy/engine';
import { readTabix } from '@ploidy/formats';
import { bgzf } from '../../../test/support/bam.ts';
import { generator, mutated, mutatedText } from '../../../test/support/mutations.ts';
import { sharedData, sharedDataSkip } from '../../../test/support/shared-data.ts';
import { recognise } from './recognise.ts';
import { indexVcf } from './vcf-index/convert.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-fuzz-'));
after(() => rmSync(folder, { recursive: true }));
const sourcePath = join(folder, 'source');

const anything = [
  'vcf/spec-v4.3.vcf.gz',
  'bam/htslib_colons.bam',
  'bam/mpileup.1.bam.bai',
  'fasta/example_1.fa.gz',
  'fhir/10-patients/Patient.ndjson',
  'fhir/bundles/Ned_Hintz.json',
  'maf/vcf2maf_test_b38_output.maf',
  'cnv/cnvkit_tr95t.cns',
  'expression/htseq_counts.tsv',
];

test('a mutated file of any kind is recognised or refused with a reason', {
  skip: sharedDataSkip,
}, async () => {
  const random = generator(20260510);
  for (const name of anything) {
    const stored = readFileSync(sharedData(name)).subarray(0, 100_000);
    for (let round = 0; round < 60; round += 1) {
      writeFileSync(sourcePath, (round % 2 === 0 ? mutated : mutatedText)(stored, random));
      try {
        assert.equal(typeof (await recognise(sourcePath, name)), 'string');
      } catch (error) {
        assert.ok(
          error instanceof EngineError && error.code === 'INPUT' && error.message.length > 20,
          `${name}, round ${round}: ${error}`,
        );
      }
    }
  }
});

test('a mutated bgzipped VCF gets an index that can be read, or an InputError', {
  skip: sharedDataSkip,
}, async () => {
  const random = generator(20260511);
  const text = gunzipSync(readFileSync(sharedData('vcf/OR4F_annotation.vcf.gz'))).subarray(0, 200_000);
  const stored = bgzf(text);
  let indexed = 0;
  for (let round = 0; round < 120; round += 1) {
    const source = round % 3 === 0 ? mutated(stored, random) : bgzf(mutatedText(text, random));
    writeFileSync(sourcePath, source);
    const task = { sourcePath, outputFolder: folder } as Parameters<typeof indexVcf>[0];
    try {
      const report = { progress: () => undefined, warn: () => undefined, account: () => undefined };
      const [made] = await indexVcf(task, {} as never, report);
      readTabix(readFileSync(made?.path ?? ''));
      indexed += 1;
    } catch (error) {
      assert.ok(error instanceof Error && error.name === 'InputError', `round ${round}: ${error}`);
    }
  }
  assert.ok(indexed > 10, `${indexed} were indexed`);
});
