/** Cases of public bug reports of other tools. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tsv } from './conversion.fixture.ts';
import { outcome, refused } from './outcome.fixture.ts';

const featureCounts = 'Geneid Chr Start End Strand Length';

const values = (name: string, content: string) =>
  outcome('expression', name, content, 'sample_id', 'gene_id', 'gene_name', 'expression', 'expression_unit');

test('a GCT with fewer genes or samples than announced is refused as truncated', async () => {
  const gct = (size: string) =>
    `#1.2\n${size}\n${tsv('Name Description S1 S2', 'ENSG1.1 A 1.5 2', 'ENSG2.1 B 2.5 3')}`;
  assert.equal((await values('S.gct', gct('2\t2'))).rows.length, 4);
  await refused(
    'expression',
    'S.gct',
    gct('3\t2'),
    /The file has 2 genes, but its second line announces 3: it is truncated/,
  );
  await refused(
    'expression',
    'S.gct',
    gct('2\t3'),
    /The file has 2 samples, but its second line announces 3/,
  );
  await refused('expression', 'S.gct', gct('2\t2').replace('S2', 'S1'), /same name/);
});

test('attributes of the annotation that featureCounts writes are no samples', async () => {
  const { rows } = await outcome(
    'expression',
    'counts.txt',
    tsv(`${featureCounts} gene_name level exon_number a/x.bam b/y.bam`, 'G 1 1 5 + 5 TP53 2 7 3 4'),
    ...['sample_id', 'gene_name', 'expression', 'attributes'],
  );
  const attributes = '{"Length":5,"level":2,"exon_number":7}';
  assert.deepEqual(rows, [`x|TP53|3|${attributes}`, `y|TP53|4|${attributes}`]);
  await refused(
    'expression',
    'counts.txt',
    tsv(`${featureCounts} a/x.bam b/x.bam`, 'G 1 1 5 + 5 1 2'),
    /same name/,
  );
});

test('the release behind the version of an id on GRCh37 is part of the id', async () => {
  const content = tsv(
    'gene_id S1',
    'ENSG00000214652.5_2 3',
    'ENSG00000214652.5_7SK 4',
    'ENSG1.5_2_ZNF727 5',
    'ENST1.4_1 6',
  );
  assert.deepEqual((await values('tpm.tsv', content)).rows, [
    'S1|ENSG00000214652.5_2|-|3|tpm',
    'S1|ENSG00000214652.5|7SK|4|tpm',
    'S1|ENSG1.5_2|ZNF727|5|tpm',
    'S1|ENST1.4_1|-|6|tpm',
  ]);
});

test('FPKM-UQ is a unit of its own, and part of no sample', async () => {
  assert.deepEqual((await values('abc.FPKM-UQ.txt', tsv('ENSG00000242268.2 1.5'))).rows, [
    'abc|ENSG00000242268.2|-|1.5|fpkm_uq',
  ]);
});

test('a number with more digits than are kept is refused, as are words and other notations', async () => {
  for (const value of ['9007199254740993', '#VALUE!', 'Inf', '0x1F', '1_000', '1,5'])
    await refused(
      'expression',
      'tpm.tsv',
      tsv('gene_id S1', `ENSG1 ${value}`),
      /Line 2 is not a valid record \(expression\): column 2/,
    );
});

test('counters, strands, repeated genes and transcripts without genes are as their programs mean them', async () => {
  const star = tsv(
    'N_unmapped 5 5 5',
    'N_multimapping 4 2 2',
    'N_noFeature 0 528 470',
    'N_ambiguous 1 1 1',
    'ENSG1 0 118 0',
  );
  assert.deepEqual((await values('S1.ReadsPerGene.out.tab', star)).rows, ['S1|ENSG1|-|0|count']);
  const prepDe = 'gene_id,S1\nMSTRG.12946|gene:Fh,646\nMSTRG.12946,8239\n';
  assert.deepEqual((await values('gene_count_matrix.csv', prepDe)).rows, [
    'S1|MSTRG.12946|-|8239|count',
    'S1|MSTRG.12946|gene:Fh|646|count',
  ]);
  const salmon = tsv('Name Length EffectiveLength TPM NumReads', 'ENST00000619185.1 5 4 3.5 9.1');
  const { rows, warnings } = await values('S1_quant/quant.sf', salmon);
  assert.deepEqual(rows, ['S1|ENST00000619185.1|-|3.5|tpm']);
  assert.match(warnings, /1 rows are of transcripts without a gene in the file/);
  assert.equal((await values('tpm.tsv', tsv('gene_name S1', 'ZNF727 5', 'ZNF727 6'))).rows.length, 2);
  const abund = 'Gene ID,Gene Name,Coverage,FPKM,TPM\nSTRG.1,X,3,-nan,-nan\n'.replaceAll(',', '\t');
  await refused('expression', 'S1.gene_abund.tab', abund, /the TPM is missing/);
  await refused(
    'expression',
    'counts.txt.summary',
    tsv('Status x.bam', 'Assigned 5'),
    /not an expression file/,
  );
});
