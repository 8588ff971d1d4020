import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { readBeginning } from './beginning.ts';
import { convertFile, type Row } from './conversion.fixture.ts';
import { naiveRows } from './naive.fixture.ts';

/**
 * Rows of `variant` and `sequence`, counted without our code. Files with samples and no annotation, sample × allele:
 *   zcat -f F | awk -F'\t' '!/^#/{n=split($5,A,",");for(i=10;i<=NF;i++){split($i,S,":");m=split(S[1],G,/[|\/]/);
 *     for(k=1;k<=n;k++)for(j=1;j<=m;j++)if(G[j]==k&&A[k]~/^[ACGT]+$/){c++;break}}}END{print c+0}'
 * ANN without samples, distinct position, allele and gene (none for intergenic_region, once an allele without genes): split INFO at `;`, ANN at `,` and `|`, `sort -u | wc -l`.
 * VEP: bcftools +split-vep F -d -f '%CHROM %POS %REF %ALT %ALLELE_NUM %SYMBOL\n' | awk '$6!="."' | sort -u, less `*` alleles.
 * cyvcf2_test: the first, each pair times the distinct genes of its allele in ANN. Others: alleles (ALT split at `,`).
 * Copy numbers: grep -vc '^#' igv_cnv.vcf. Fusions: breakends by both ends and carrier, each once (31 of them, counted by a script of ten lines).
 */
const counts: Record<string, [variants: number, sequences: number, others?: [table: string, rows: number]]> =
  {
    '1kg.3.annotations.chr1.vcf.gz': [744, 0],
    '1kgPhase3.chr1.vcf.gz': [94, 11],
    'HG002_GIAB.filtered.vcf.gz': [10157, 1],
    'OR4F_annotation.vcf.gz': [841, 0],
    'bcftools_split-vep.vcf': [1426, 0],
    'cyvcf2_test.vcf.gz': [9180, 189],
    'igv_cnv.vcf': [0, 1, ['copynumber', 200]],
    'sample1-bcbio-cancer.vcf.gz': [12, 1],
    'snpeff_chr22.ann.vcf': [80, 0],
    'snpeff_test_clinvar.vcf.gz': [7551, 17, ['fusion', 31]],
    'spec-v4.3.vcf.gz': [11, 3],
    // Two of the fifty records name two genes.
    'vep_clinvar_testset.vcf.gz': [52, 0],
  };

/** Counts by `grep -E '^##(contig|reference|VEP|SnpEffCmd)'`. */
const builds: Record<string, string | undefined> = {
  '1kg.3.annotations.chr1.vcf.gz': 'GRCh37',
  'HG002_GIAB.filtered.vcf.gz': 'GRCh37',
  'OR4F_annotation.vcf.gz': 'GRCh37',
  'bcftools_split-vep.vcf': 'GRCh37',
  'igv_cnv.vcf': undefined,
  'sample1-bcbio-cancer.vcf.gz': 'GRCh37',
  'snpeff_chr22.ann.vcf': 'GRCh37',
  'snpeff_test_clinvar.vcf.gz': undefined,
  'spec-v4.3.vcf.gz': 'NCBI36',
  'vep_clinvar_testset.vcf.gz': 'GRCh38',
};

describe('real files', { skip: sharedDataSkip }, () => {
  for (const [name, build] of Object.entries(builds)) {
    test(`${name} is on ${build ?? 'an unknown build'}`, async () => {
      const { header } = await readBeginning(sharedData(`vcf/${name}`));
      assert.equal(header.genomeBuild, build);
    });
  }

  for (const [name, [variantCount, sequenceCount, others]] of Object.entries(counts)) {
    test(`${name} has the counted rows, equal to a plain implementation of the mapping, sorted`, async () => {
      const path = sharedData(`vcf/${name}`);
      const bytes = await readFile(path);
      const expected = naiveRows((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
      const { variants, sequences, tables } = await convertFile(path);
      assert.deepEqual([variants.length, sequences.length], [variantCount, sequenceCount]);
      assert.deepEqual(
        // `alterations.test.ts` tests those that are derived.
        tables
          .filter(({ table }) => table !== 'alteration' && table !== 'sample_profile')
          .map(({ table, rows }) => [table, rows]),
        [
          ...(variantCount > 0 ? ['variant', 'variant_call'].map((table) => [table, variantCount]) : []),
          ...(others ? [others] : []),
          ['sequence', sequenceCount],
        ],
      );
      const columns = Object.keys(expected[0] ?? {});
      assert.deepEqual(sortedText(variants, columns), sortedText(expected, columns));
      assert.deepEqual(variants.map(place), variants.toSorted(byPlace).map(place));
    });
  }

  test('a multi-allelic record of HG002 has two trimmed rows with recoded genotypes', async () => {
    const { variants } = await convertFile(sharedData('vcf/HG002_GIAB.filtered.vcf.gz'));
    // 1 1675004 . ATAT AAT,A … GT 1|2
    const rows = variants.filter(
      (row) => row['chromosome'] === 'chr1' && Number(row['position']) === 1675004,
    );
    assert.deepEqual(rows.map((row) => [row['reference'], row['alternate'], row['genotype']]).toSorted(), [
      ['AT', 'A', '1|0'],
      ['ATAT', 'A', '0|1'],
    ]);
  });

  test('a row of ClinVar has its clinical columns and its population frequencies', async () => {
    const { variants } = await convertFile(sharedData('vcf/vep_clinvar_testset.vcf.gz'));
    const row = variants.find((candidate) => candidate['clinical_submission'] === '717141');
    // zgrep -P '\t717141\t' vep_clinvar_testset.vcf.gz
    assert.deepEqual(filled(row), {
      variant_id: 'set:26229c778124f22a:ACP1',
      variant_set_id: 'set',
      chromosome: 'chr2',
      position: 264985n,
      reference: 'G',
      alternate: 'T',
      minimum_allele_frequency: 0.00559,
      maximum_allele_frequency: 0.00569,
      population_allele_frequency: 0.00559,
      rs_id: 'rs11691572',
      ebcanon_class: 'missense_variant',
      ebcanon_group: 'missense',
      impact: 'MODERATE',
      gene: 'ACP1',
      clinvar_allele_id: '719795',
      clinical_disease: 'not provided',
      clinical_review: 'criteria_provided,_single_submitter',
      clinical_significance: 'Benign',
      clinical_submission: '717141',
    });
  });

  test("a gene's row is that of its canonical transcript, with the frequencies of VEP", async () => {
    const { variants } = await convertFile(sharedData('vcf/bcftools_split-vep.vcf'));
    const rows = variants.filter((row) => Number(row['position']) === 14464);
    assert.deepEqual(rows.map((row) => row['gene']).toSorted(), ['DDX11L1', 'WASH7P']);
    // grep -P '^1\t14464\t' bcftools_split-vep.vcf: the annotation of ENST00000438504 has CANONICAL=YES.
    assert.deepEqual(filled(rows.find((row) => row['gene'] === 'WASH7P')), {
      variant_id: `${String(rows[0]?.['variant_id']).split(':').slice(0, 2).join(':')}:WASH7P`,
      variant_set_id: 'set',
      chromosome: 'chr1',
      position: 14464n,
      reference: 'A',
      alternate: 'T',
      minimum_allele_frequency: 0.005,
      maximum_allele_frequency: 0.1943,
      population_allele_frequency: 0.0958,
      rs_id: 'rs546169444',
      ebcanon_class: 'non_coding_transcript_exon_variant',
      impact: 'MODIFIER',
      gene: 'WASH7P',
      transcript_id: 'ENST00000438504',
      biotype: 'unprocessed_pseudogene',
      is_canonical: true,
    });
  });

  test("SnpEff's stop of OR4F5 is a nonsense variant of that gene", async () => {
    const { variants } = await convertFile(sharedData('vcf/OR4F_annotation.vcf.gz'));
    // zcat OR4F_annotation.vcf.gz | grep -P '^1\t69869\t'
    const row = variants.find((candidate) => candidate['impact'] === 'HIGH');
    const { variant_id: _, ...rest } = filled(row);
    assert.deepEqual(rest, {
      variant_set_id: 'set',
      chromosome: 'chr1',
      position: 69869n,
      reference: 'T',
      alternate: 'A',
      ebcanon_group: 'nonsense',
      ebcanon_class: 'stop_gained',
      impact: 'HIGH',
      gene: 'OR4F5',
      transcript_id: 'NM_001005484.1',
      biotype: 'protein_coding',
      amino_acid_change: 'p.Leu260Ter',
    });
  });
});

function filled(row: Row | undefined): Row {
  return Object.fromEntries(Object.entries(row ?? {}).filter(([, value]) => value !== null));
}

function place(row: Row): string {
  return `${row['chromosome']}:${row['position']}`;
}

function byPlace(left: Row, right: Row): number {
  const [a, b] = [String(left['chromosome']), String(right['chromosome'])];
  return a < b ? -1 : a > b ? 1 : Number(left['position']) - Number(right['position']);
}

function sortedText(rows: Row[], columns: string[]): string[] {
  return rows.map((row) => JSON.stringify(columns.map((column) => plain(row[column])))).toSorted();
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}
