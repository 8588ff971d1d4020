/** Odd tables of real programs and portals: each is read correctly, or refused with a remedy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TabularType } from '@ploidy/formats';
import { convertText, pick, tsv } from './conversion.fixture.ts';

const expression = async (name: string, ...lines: string[]): Promise<string[]> => {
  const { rows } = await convertText('expression', tsv(...lines), {}, name);
  return pick(rows, 'sample_id', 'gene_id', 'gene_name', 'expression', 'expression_unit').sort();
};

const refused = async (type: TabularType, name: string, message: RegExp, ...lines: string[]): Promise<void> =>
  assert.rejects(convertText(type, tsv(...lines), {}, name), { name: 'InputError', message }, lines.join());

test('values that a name marks as logarithms or scores have no unit, with a warning', async () => {
  for (const name of [
    ...['log2_tpm_plus1.tsv', 'expr_log2(fpkm+1).tsv', 'zscore_tpm.tsv', 'tpm_vst.tsv', 'TPMLogp1.tsv'],
    ...['log2/tpm.tsv', 'logCPM.tsv', 'data_log2_counts.tsv', 'z-score.fpkm.tsv'],
  ]) {
    const { rows, warnings } = await convertText(
      'expression',
      tsv('gene_id S1', 'ENSG1 3', 'ENSG2 5'),
      {},
      name,
    );
    assert.deepEqual(
      pick(rows, 'expression', 'expression_unit', 'raw_count').sort(),
      ['3|-|-', '5|-|-'],
      name,
    );
    assert.match(warnings.map(({ message }) => message).join(), /transformed: expression_unit is NULL/, name);
  }
  for (const name of ['catalog_tpm.tsv', 'biology_tpm.tsv', 'analogue.tpm.tsv'])
    assert.deepEqual(await expression(name, 'gene_id S1', 'ENSG1 3'), ['S1|ENSG1|-|3|tpm'], name);
});

test('a dash is no symbol of a gene', async () => {
  const header = 'Gene_ID Gene_Name Reference Strand Start End Coverage FPKM TPM';
  assert.deepEqual(await expression('S1.gene_abund.tab', header, 'STRG.1 - chr17 - 1 2 3.1 4.1 6.1'), [
    'S1|STRG.1|-|6.1|tpm',
  ]);
  assert.deepEqual(await expression('tpm.tsv', 'gene_id gene_name S1', 'STRG.1 - 2'), ['S1|STRG.1|-|2|tpm']);
});

test('matrices that are turned are refused: genes are never samples', async () => {
  for (const header of [
    'x TSPAN6_(7105) TNMD_(64102) A2_(12)',
    'sample TP53 BRCA1 S3',
    'x ENSG00000141510 S2',
  ])
    await refused(
      'expression',
      'tpm.csv',
      /transpose it/,
      header.replaceAll('_(', '\u00a0('),
      'ACH-1 1.5 2.5 3',
      'ACH-2 1.5 2.5 3',
    );
});

test('lines that are called as the columns hold no genes: pairs of samples or bases', async () => {
  const lines = ['S1.bam 1 0.9', 'S2.bam 0.9 1'];
  await refused('expression', 'x.tsv', /compares samples or bases in pairs/, 'gene S1.bam S2.bam', ...lines);
  await refused('expression', 'x.tsv', /in pairs/, 'gene A C G T', 'A 9 1 2 3', 'C 1 7 2 2', 'G 0 1 9 0');
});

test('counts of biotypes are refused, with or without a symbol beside', async () => {
  const header = 'Geneid Chr Start End Strand Length S1.bam';
  const counted = ['lincRNA 1 1 9 + 9 6', 'IG_V_gene 1 1 9 + 9 3', 'protein_coding 1 1 9 + 9 5'];
  await refused('expression', 'S1.txt', /by biotype/, header, ...counted);
  await refused('expression', 'S1.biotype_counts.tsv', /by biotype/, 'protein_coding 12345', 'rRNA 99');
});

test('files without a header: counts have symbols, and amounts the unit in their name', async () => {
  assert.deepEqual(
    await expression(
      'S1.htseq.counts',
      'ENSG00000141510 TP53 100',
      'ENSG00000012048 BRCA1 50',
      '__no_feature  5',
    ),
    ['S1|ENSG00000012048|BRCA1|50|count', 'S1|ENSG00000141510|TP53|100|count'],
  );
  assert.deepEqual(await expression('S1.FPKM.txt', 'ENSG00000242268.2 0.0', 'ENSG00000167578.15 2.73'), [
    'S1|ENSG00000167578.15|-|2.73|fpkm',
    'S1|ENSG00000242268.2|-|0|fpkm',
  ]);
});

test('a first column called sample that holds genes is read; one of unknown content is refused', async () => {
  assert.deepEqual(await expression('HiSeqV2', 'sample TCGA-1 TCGA-2', 'TP53 9.12 10.3', 'BRCA1 7.2 8.3'), [
    'TCGA-1|BRCA1|-|7.2|-',
    'TCGA-1|TP53|-|9.12|-',
    'TCGA-2|BRCA1|-|8.3|-',
    'TCGA-2|TP53|-|10.3|-',
  ]);
  await refused(
    'expression',
    'HiSeqV2',
    /If they are genes, name it gene_id/,
    'sample A B',
    'QRX 9.1 1',
    'LMN 7 8',
  );
});

test('a GCT of GTEx with numbered lines names its genes by the columns behind the numbers', async () => {
  const text = `#1.2\n2\t1\n${tsv('id Name Description GTEX-1', '0 ENSG00000223972.5 DDX11L1 0', '1 ENSG2 WASH7P 1.2')}`;
  const { rows } = await convertText('expression', text, {}, 'gene_tpm_whole_blood.gct');
  assert.deepEqual(pick(rows, 'sample_id', 'gene_id', 'gene_name', 'expression').sort(), [
    'GTEX-1|ENSG00000223972.5|DDX11L1|0',
    'GTEX-1|ENSG2|WASH7P|1.2',
  ]);
});

test('columns of samples under the names of cell lines and libraries keep samples apart', async () => {
  for (const name of ['ModelID', 'DepMap_ID', 'cell_line', 'barcode', 'Aliquot', 'library_id', 'Run']) {
    const { rows } = await convertText('copynumber', tsv(`${name} gene copy_number`, 'A MYC 6', 'B MYC 2'));
    assert.deepEqual(pick(rows, 'sample_id', 'copy_number').sort(), ['A|6', 'B|2'], name);
  }
});

test('a table whose genes repeat beside a column of an unknown name is refused, and the column is named', async () => {
  await refused(
    'copynumber',
    'S1.tsv',
    /"who" seems to name samples/,
    'who gene copy_number',
    'A MYC 6',
    'B MYC 2',
    'B TP53 1',
  );
  await refused(
    'expression',
    'S1.tsv',
    /"who" seems to name samples/,
    ...['gene_id raw_count who', 'ENSG1 5 A', 'ENSG2 5 A', 'ENSG1 6 B'],
  );
  // Transcripts of one gene, and numbers, are no genes.
  for (const lines of [
    ['gene_id raw_count transcript_id', 'ENSG1 5 T1', 'ENSG1 6 T2', 'ENSG2 5 T3'],
    ['gene_id raw_count part', 'ENSG1 5 1', 'ENSG1 6 2', 'ENSG2 5 1'],
  ])
    assert.equal((await convertText('expression', tsv(...lines))).rows.length, 3);
});

test('a folder names a sample only as a program calls it', async () => {
  const salmon = ['Name Length EffectiveLength TPM NumReads', 'ENST1 9 8 1.5 3'];
  assert.deepEqual(await expression('S1_quant/quant.sf', ...salmon), ['S1|ENST1|-|1.5|tpm']);
  await refused('expression', 'batch7/quant.sf', /set sampleId/, ...salmon);
});

test('between genes Arriba names no gene, and FusionCatcher is read', async () => {
  const arriba = '#gene1 gene2 breakpoint1 breakpoint2 type reading_frame';
  const between = await convertText(
    'fusion',
    tsv(arriba, 'TMPRSS2 GENEA(12345),GENEB(678) 21:5 21:9 deletion .'),
  );
  assert.deepEqual(pick(between.rows, 'gene1', 'gene2', 'attributes'), [
    'TMPRSS2|-|{"nearest_genes2":"GENEA(12345),GENEB(678)"}',
  ]);
  const five = '(5end_fusion_partner)';
  const three = '(3end_fusion_partner)';
  const header = `Gene_1_symbol${five} Gene_2_symbol${three} Spanning_pairs Fusion_point_for_gene_1${five} Fusion_point_for_gene_2${three} Gene_1_id${five} Gene_2_id${three} Predicted_effect`;
  const { rows } = await convertText(
    'fusion',
    tsv(header, 'BCR ABL1 10 22:23632600:+ 9:133729451:+ ENSG1 ENSG2 in-frame'),
    {},
    'S1.fusioncatcher.fusion-genes.txt',
  );
  assert.deepEqual(
    pick(rows, 'gene1', 'gene2', 'chromosome1', 'start_position1', 'start_position2', 'in_frame', 'effect'),
    ['BCR|ABL1|chr22|23632600|133729451|yes|translocation'],
  );
});

test('segments of PURPLE below 0 are 0 copies; Control-FREEC is refused with a remedy', async () => {
  const header = 'chromosome start end copyNumber bafCount minorAlleleCopyNumber majorAlleleCopyNumber';
  const { rows } = await convertText(
    'copynumber',
    tsv(header, 'chr1 1 1000 2.02 100 1.01 1.01', 'chr9 21900000 22000000 -0.12 0 -0.06 -0.06'),
    {},
    'T1.purple.cnv.somatic.tsv',
  );
  assert.deepEqual(pick(rows, 'sample_id', 'start_position', 'copy_number', 'status'), [
    'T1|1|2.02|neutral',
    'T1|21900000|0|loss',
  ]);
  await refused(
    'copynumber',
    'x.bam_CNVs',
    /Control-FREEC/,
    '1 569999 589999 4 gain',
    '1 600000 700000 1 loss',
  );
});

test('a deletion of a MAF has its anchor from the bases around it, unless they do not fit', async () => {
  const header =
    'Hugo_Symbol Chromosome Start_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode ref_context';
  const rowOf = async (context: string): Promise<string[]> => {
    const { rows } = await convertText('maf', tsv(header, `Unknown 1 200 ACG - SA1 ${context}`));
    return pick(rows, 'position', 'reference', 'alternate');
  };
  assert.deepEqual(await rowOf('CCCCCCCCCTACGGGGGGGGGGG'), ['199|TACG|T']);
  for (const context of ['CCCCCCCCCTAAGGGGGGGGGGG', 'CCCCCCCCTACGGGGGGGGGGG', ''])
    assert.deepEqual(await rowOf(context), ['199|NACG|N'], context);
});

test('copies of genes and samples are not sent to expression', async () => {
  await refused(
    'expression',
    'data_cna_discrete_long.txt',
    /holds copy numbers or mutations/,
    'Hugo_Symbol Entrez_Gene_Id Sample_Id Value',
    'CDKN2A 1029 S1 -2',
  );
});
