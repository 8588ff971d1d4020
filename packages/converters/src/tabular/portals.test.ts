/** Tables of portals and programs for copy numbers of genes, fusions and proteins, as small files with their real columns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recogniseColumns, type TabularType } from '@ploidy/formats';
import { convertText, pick, type TableRow } from './conversion.fixture.ts';

/** Reads the rows of a file without a declared type. */
async function read(
  name: string,
  text: string,
): Promise<{ type: TabularType; rows: TableRow[]; messages: string[] }> {
  const found = recogniseColumns(text, { fileName: name, isWhole: true });
  assert.ok(found, name);
  const { rows, warnings } = await convertText(found.format.type, text, {}, name);
  return { type: found.format.type, rows, messages: warnings.map(({ message }) => message) };
}

const tabs = (...lines: string[]): string => `${lines.join('\n').replaceAll(' ', '\t')}\n`;
const copies = ['sample_id', 'gene', 'copy_number', 'status'];

test('discrete copies of cBioPortal give a status without a number of copies', async () => {
  const header = 'Hugo_Symbol Entrez_Gene_Id S1 S2';
  const matrix = await read(
    'data_cna.txt',
    tabs(header, 'CDKN2A 1029 -2 -1.5', 'MYC 4609 2 NA', ' 7157 0 1'),
  );
  assert.equal(matrix.type, 'copynumber');
  assert.deepEqual(pick(matrix.rows, ...copies).sort(), [
    'S1|-|-|neutral',
    'S1|CDKN2A|-|loss',
    'S1|MYC|-|amplification',
    'S2|-|-|gain',
    'S2|CDKN2A|-|partialLoss',
  ]);
  assert.deepEqual(JSON.parse(String(matrix.rows.find(({ gene }) => gene === 'MYC')?.['attributes'])), {
    level: 2,
    Entrez_Gene_Id: 4609,
  });
  const long = await read(
    'data_cna_discrete_long.txt',
    tabs('Hugo_Symbol Entrez_Gene_Id Sample_Id Value', 'CDKN2A 1029 S1 -2', 'MYC 4609 S2 2'),
  );
  assert.deepEqual(pick(long.rows, ...copies).sort(), ['S1|CDKN2A|-|loss', 'S2|MYC|-|amplification']);
});

test('logarithms of ratios of cBioPortal become numbers of copies', async () => {
  const { rows } = await read('data_log2_cna.txt', tabs('Hugo_Symbol S1', 'EGFR 1', 'PTEN -1', 'TP53 0.1'));
  assert.deepEqual(pick(rows, 'gene', 'status').sort(), ['EGFR|gain', 'PTEN|partialLoss', 'TP53|neutral']);
  assert.equal(rows.find(({ gene }) => gene === 'EGFR')?.['copy_number'], 4);
});

test('GISTIC has levels, or copies minus two', async () => {
  const header = 'Gene Symbol,Gene ID,Cytoband,S1,S2\n'.replaceAll(',', '\t');
  const levels = await read('all_thresholded.by_genes.txt', `${header}EGFR\t1956\t7p11.2\t2\t-1\n`);
  assert.deepEqual(pick(levels.rows, ...copies).sort(), ['S1|EGFR|-|amplification', 'S2|EGFR|-|partialLoss']);
  const data = await read('all_data_by_genes.txt', `${header}EGFR\t1956\t7p11.2\t4.5\t-2.1\n`);
  assert.deepEqual(pick(data.rows, ...copies).sort(), ['S1|EGFR|6.5|amplification', 'S2|EGFR|0|loss']);
});

test('a level that does not exist breaks its line, and absolute copies are not taken for levels', async () => {
  const lines = ['Hugo_Symbol S1', ...Array.from({ length: 200 }, (_, index) => `G${index} -1`), 'LAST 7'];
  await assert.rejects(convertText('copynumber', tabs(...lines), {}, 'data_cna.txt'), {
    name: 'InputError',
    message: /level of copies/,
    line: 202,
  });
  assert.throws(
    () => recogniseColumns(tabs('Hugo_Symbol S1', 'EGFR 2'), { fileName: 'CNV.tsv', isWhole: true }),
    /copy numbers or mutations/,
  );
});

test('structural variants of cBioPortal become fusions with class, frame and support', async () => {
  const header =
    'Sample_Id SV_Status Site1_Hugo_Symbol Site1_Chromosome Site1_Position Site2_Hugo_Symbol Site2_Chromosome Site2_Position Site2_Effect_On_Frame NCBI_Build DNA_Support RNA_Support Class';
  const { rows, type } = await read(
    'data_sv.txt',
    tabs(
      header,
      'S1 SOMATIC EML4 2 42522656 ALK 2 29446394 In_frame GRCh37 yes no INVERSION',
      'S2 SOMATIC TMPRSS2 21 42880008 ERG 21 39956869 NA GRCh37 no yes DELETION',
    ),
  );
  assert.equal(type, 'fusion');
  assert.deepEqual(
    pick(
      rows,
      'sample_id',
      'gene1',
      'gene2',
      'chromosome1',
      'start_position2',
      'effect',
      'in_frame',
      'sequence_type',
    ).sort(),
    ['S1|EML4|ALK|chr2|29446394|inversion|yes|DNA', 'S2|TMPRSS2|ERG|chr21|39956869|deletion|unknown|RNA'],
  );
});

test('fusions of JAFFA have both genes, their ends and the frame', async () => {
  const header =
    '"sample","fusion genes","chrom1","base1","strand1","chrom2","base2","strand2","gap (kb)","spanning pairs","spanning reads","inframe","aligns","rearrangement","contig","contig break","classification","known"';
  const line =
    '"S1","BCR:ABL1","chr22",23632600,"+","chr9",133729451,"+",Inf,10,5,TRUE,TRUE,TRUE,"c1",300,"HighConfidence","Yes"';
  const { rows } = await read('jaffa_results.csv', `${header}\n${line}\n`);
  assert.deepEqual(
    pick(rows, 'sample_id', 'gene1', 'gene2', 'start_position1', 'start_position2', 'in_frame', 'effect'),
    ['S1|BCR|ABL1|23632600|133729451|yes|translocation'],
  );
  assert.equal(JSON.parse(String(rows[0]?.['attributes'])).classification, 'HighConfidence');
});

test('fusion candidates of DRAGEN have both genes in one column', async () => {
  const header = '#FusionGene Score LeftBreakpoint RightBreakpoint Filter ReadNames';
  const { rows } = await read(
    'S1.fusion_candidates.final',
    tabs(header, 'BCR--ABL1 0.98 chr22:23632600:+ chr9:133729451:+ PASS r1;r2'),
  );
  assert.deepEqual(pick(rows, 'gene1', 'gene2', 'chromosome2', 'effect', 'attributes'), [
    'BCR|ABL1|chr9|translocation|{"strand1":"+","strand2":"+","Score":0.98,"Filter":"PASS"}',
  ]);
});

test('a matrix of DepMap has a sample a line, and its genes without their numbers', async () => {
  const { rows, messages } = await read(
    'OmicsExpressionProteinCodingGenesTPMLogp1.csv',
    ',TSPAN6 (7105),TP53 (7157)\nACH-001113,4.33,\nACH-001289,4.57,2.5\n',
  );
  assert.deepEqual(pick(rows, 'sample_id', 'gene_id', 'gene_name', 'expression', 'expression_unit').sort(), [
    'ACH-001113|7105|TSPAN6|4.33|-',
    'ACH-001289|7105|TSPAN6|4.57|-',
    'ACH-001289|7157|TP53|2.5|-',
  ]);
  assert.match(messages.join(), /logarithms/);
  const newer = 'SequencingID,ModelID,IsDefaultEntryForModel,TP53 (7157)\nC1,ACH-1,Yes,1\nC2,ACH-1,No,2\n';
  const { rows: chosen } = await read('OmicsExpressionTPM.csv', newer);
  assert.deepEqual(pick(chosen, 'sample_id', 'expression', 'expression_unit'), ['ACH-1|1|tpm']);
  assert.throws(
    () => recogniseColumns(',TP53 (7157)\nACH-1,1.1\n', { fileName: 'OmicsCNGene.csv', isWhole: true }),
    /does not say what the values are/,
  );
});

test('amounts of proteins of MaxQuant, DIA-NN and Olink are expression with their unit', async () => {
  const columns = ['sample_id', 'gene_id', 'gene_name', 'expression', 'expression_unit', 'is_normalized'];
  const maxQuant = await read(
    'proteinGroups.txt',
    [
      'Protein IDs\tMajority protein IDs\tGene names\tIntensity A\tLFQ intensity A\tLFQ intensity B\tReverse\tPotential contaminant',
      'P04637;Q1\tP04637;Q1\tTP53\t9\t1000\t0\t\t',
      'CON__P1\tCON__P1\t\t9\t5\t5\t\t+',
    ].join('\n'),
  );
  assert.deepEqual(pick(maxQuant.rows, ...columns), ['A|P04637|TP53|1000|lfq_intensity|true']);
  assert.match(maxQuant.messages.join(), /1 lines of contaminants/);
  const diann = await read(
    'report.pg_matrix.tsv',
    'Protein.Group\tProtein.Names\tGenes\tFirst.Protein.Description\tD:\\runs\\A.raw\t/runs/B.mzML\nP04637\tP53_HUMAN\tTP53\tp53\t1.5\t\n',
  );
  assert.deepEqual(pick(diann.rows, ...columns), ['A|P04637|TP53|1.5|maxlfq|true']);
  const olink = await read(
    'npx.csv',
    'SampleID,OlinkID,UniProt,Assay,Panel,NPX,QC_Warning\nS1,OID1,P01375,TNF,Inflammation,-0.5,PASS\n',
  );
  assert.deepEqual(pick(olink.rows, ...columns), ['S1|P01375|TNF|-0.5|npx|true']);
});
