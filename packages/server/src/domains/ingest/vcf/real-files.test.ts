import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sharedData, sharedDataSkip } from '../../../../../../test/support/shared-data.ts';
import { convertFile, type Row } from './testing/conversion.ts';
import { naiveRows } from './testing/naive.ts';

const names = [
  '1kg.3.annotations.chr1.vcf.gz',
  '1kgPhase3.chr1.vcf.gz',
  'HG002_GIAB.filtered.vcf.gz',
  'OR4F_annotation.vcf.gz',
  'bcftools_split-vep.vcf',
  'cyvcf2_test.vcf.gz',
  'igv_cnv.vcf',
  'sample1-bcbio-cancer.vcf.gz',
  'snpeff_chr22.ann.vcf',
  'snpeff_test_clinvar.vcf.gz',
  'spec-v4.3.vcf.gz',
  'vep_clinvar_testset.vcf.gz',
];

describe('real files', { skip: sharedDataSkip }, () => {
  for (const name of names) {
    test(`${name} gives the rows that a plain reading of the mapping gives`, async () => {
      const path = sharedData(`vcf/${name}`);
      const bytes = await readFile(path);
      const expected = naiveRows((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
      const { variants } = await convertFile(path);
      const columns = Object.keys(expected[0] ?? {});
      assert.deepEqual(sortedText(variants, columns), sortedText(expected, columns));
    });
  }
});

function sortedText(rows: Row[], columns: string[]): string[] {
  return rows.map((row) => JSON.stringify(columns.map((column) => plain(row[column])))).toSorted();
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}
