import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TabularType } from './format.ts';
import { recogniseColumns } from './recognise.ts';
import { sampleNameOfFile } from './sample-column.ts';

/** `type format`, or undefined; blanks stand for tabs. */
function known(lines: string[], fileName = 'S.tsv', type?: TabularType): string | undefined {
  const text = `${lines.join('\n').replaceAll(' ', '\t')}\n`;
  const found = recogniseColumns(text, { fileName, isWhole: true, ...(type && { type }) });
  return found && `${found.format.type} ${found.format.name}`;
}

describe('format of a file of columns', () => {
  const headers: [string, string[]][] = [
    [
      'maf MAF',
      [
        '#version 2.4',
        'Hugo_Symbol Chromosome Start_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode',
      ],
    ],
    ['copynumber CNVkit', ['chromosome start end gene log2 cn depth probes weight']],
    ['copynumber SEG', ['ID chrom loc.start loc.end num.mark seg.mean']],
    ['copynumber SEG', ['GDC_Aliquot Chromosome Start End Num_Probes Segment_Mean']],
    ['copynumber copy number', ['sample_id,gene,copy_number']],
    [
      'fusion STAR-Fusion',
      ['#FusionName JunctionReadCount LeftGene LeftBreakpoint RightGene RightBreakpoint annots'],
    ],
    [
      'copynumber gene-level copy number of the GDC',
      ['gene_id gene_name chromosome start end copy_number min_copy_number max_copy_number'],
    ],
    [
      'fusion deFuse',
      [
        'cluster_id gene1 gene2 gene_chromosome1 gene_chromosome2 gene_name1 gene_name2 genomic_break_pos1 genomic_break_pos2',
      ],
    ],
    ['fusion Arriba', ['#gene1 gene2 strand1(gene/fusion) breakpoint1 breakpoint2 type reading_frame']],
    ['fusion fusion', ['sample_id,gene1,gene2']],
    ['expression RSEM', ['gene_id transcript_id(s) length effective_length expected_count TPM FPKM']],
    ['expression RSEM', ['transcript_id gene_id length effective_length expected_count TPM FPKM IsoPct']],
    ['expression Salmon', ['Name Length EffectiveLength TPM NumReads']],
    ['expression kallisto', ['target_id length eff_length est_counts tpm']],
    ['expression GDC', ['# gene-model: 36', 'gene_id gene_name gene_type unstranded tpm_unstranded']],
    [
      'expression expression',
      ['# Program:featureCounts', 'Geneid Chr Start End Strand Length a.bam', 'g 1 1 9 + 9 5'],
    ],
    ['expression HTSeq', ['ENSG00000000003 10', 'ENSG00000000005 0']],
    ['expression expression', ['gene_id,A,B', 'g1,1,2']],
    ['expression expression', ['A B', 'g1 1 2']],
    ['expression expression', ['Gene-ID,A,B', 'g1,1,2']],
    ['expression expression', ['gene_id,gene_name,expression,expression_unit']],
  ];
  for (const [name, lines] of headers)
    test(`${lines.at(-1)} is ${name}`, () => assert.equal(known(lines), name));

  test('an ambiguous table is not read as expression, unless the request declares it', () => {
    assert.equal(known(['chr1 248956422', 'chr2 242193529'], 'hg38.sizes'), undefined);
    assert.equal(known(['geneA 5', 'geneB 7'], 'S.counts.txt'), 'expression HTSeq');
    assert.equal(known(['geneA 5', 'geneB 7'], 'S.txt', 'expression'), 'expression HTSeq');
    assert.equal(known(['gene_id A B', 'g1 -2 1'], 'S.txt'), undefined);
    assert.equal(known(['gene_id A B', 'g1 -2 1'], 'S.txt', 'expression'), 'expression expression');
    assert.equal(known(['gene_id count tpm', 'g1 2 1']), 'expression table of an unknown program');
    assert.equal(known(['name value', 'a b']), undefined);
    assert.equal(known(['##maf version=1', 'a score=1']), undefined);
    assert.equal(known(['{"resourceType":"Patient"}']), undefined);
  });

  test('a matrix named after copy numbers or mutations is refused with a remedy, unless its type or unit is named', () => {
    const reported = {
      name: 'InputError',
      message: /copy numbers or mutations.*gene and copy_number, or a MAF/,
    };
    for (const name of [
      ...['cna.txt', 'data_linear_CNA.txt', 'cohort/gistic2.txt', 'all_thresholded.by_genes.gistic2.txt'],
      ...[
        'CNV.csv',
        'copy_number.tsv',
        'copy number.txt',
        'CopyNumber.txt',
        'data_mutations.txt',
        'mutation-matrix.txt',
      ],
    ])
      for (const line of ['EGFR 673 2 1', 'EGFR 673 -2 1', 'EGFR 673 0.5 1.2'])
        assert.throws(
          () => known(['Hugo_Symbol Entrez_Gene_Id A B', line], name),
          reported,
          `${name}: ${line}`,
        );
    const matrix = ['Hugo_Symbol A B', 'EGFR 2 1'];
    for (const name of [
      ...[
        'cna/cohort.txt',
        'MUT_vs_WT.txt',
        'SCNAT.txt',
        'cnv_tpm.txt',
        'cna_rnaseq.txt',
        'mutation_counts.txt',
      ],
      ...['gistic_expression.txt', 'permutation.txt'],
    ])
      assert.equal(known(matrix, name), 'expression expression', name);
    assert.equal(known(matrix, 'data_cna.txt', 'expression'), 'expression expression');
    assert.equal(known(['gene copy_number', 'g 2'], 'cna.txt'), 'copynumber copy number');
    assert.equal(known(['name value', 'a b'], 'mutations.txt'), undefined);
  });

  test('a type rules out what is of another', () => {
    assert.equal(known(['sample_id,gene1,gene2'], 'S.csv', 'copynumber'), undefined);
  });
});

test('the name of a file names the sample, without suffixes of programs', () => {
  const names = {
    'S1.genes.results.gz': 'S1',
    'run 7/S1_quant/quant.sf': 'S1',
    'p2-9_2.call.cns': 'p2-9_2',
    'TCGA-02-0001-01.htseq.counts.gz': 'TCGA-02-0001-01',
    'P5.star-fusion.fusion_predictions.abridged.coding_effect.tsv': 'P5',
    'P6.fusions.tsv': 'P6',
    'b0dcb5d2-1111-4222.rna_seq.augmented_star_gene_counts.tsv': 'b0dcb5d2-1111-4222',
    'TCGA-AB.b0dcb5d2.ascat3.gene_level_copy_number.v36.tsv': 'TCGA-AB.b0dcb5d2',
    'P1_rna_seq.genes.results': 'P1_rna_seq',
    'S.final.bam.counts': 'S.final.bam',
    'S.cncf.txt': 'S',
    'S_facets.cncf.txt.gz': 'S',
    'S.genes.fpkm_tracking': 'S',
    'S.sequenza_segments.txt': 'S',
    'abundance.tsv': undefined,
    'results/star-fusion.fusion_predictions.tsv': undefined,
  };
  for (const [file, sample] of Object.entries(names)) assert.equal(sampleNameOfFile(file), sample, file);
  for (const file of ['S1.results.total.tsv', 'S1.results.filtered.tsv.gz'])
    assert.equal(sampleNameOfFile(file), 'S1');
  assert.equal(sampleNameOfFile('S.linx.fusion.tsv', 'LINX'), 'S');
});
