/** Uncertain values of tables: each is left out or kept, and a warning names it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, tsv } from './conversion.fixture.ts';

const input = (line: number, message: RegExp) => ({ name: 'InputError', line, message });
const mafHeader =
  'Hugo_Symbol NCBI_Build Chromosome Start_Position Strand Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode';

test('names of genes that a spreadsheet has changed are kept, and a warning counts them', async () => {
  const message = (count: number, name: string): string =>
    `${count} gene names are dates or numbers, such as ${name}: a spreadsheet has changed them. They are kept as they are. Ingest the original file instead.`;
  const counts = await convertText(
    'expression',
    tsv('gene S1 S2', '1-Mar 1 2', 'Sep-02 3 4', '2.31E+13 5 6', 'TP53 7 8', 'sep-1 1 1', 'SEPT9 1 1'),
    {},
    'counts.tsv',
  );
  assert.deepEqual(
    counts.warnings.map((warning) => warning.message),
    [message(3, '1-Mar')],
  );
  assert.equal(counts.rows.length, 12);
  const maf = await convertText('maf', tsv(mafHeader, '2-Sep GRCh38 1 100 + A T S1'));
  assert.deepEqual(pick(maf.rows, 'gene'), ['2-Sep']);
  assert.deepEqual(
    maf.warnings.map((warning) => warning.message),
    [message(1, '2-Sep')],
  );
  const fusion = await convertText('fusion', tsv('sample_id gene1 gene2', 'S1 TP53 1-Dec'));
  assert.equal(fusion.warnings[0]?.message, message(1, '1-Dec'));
});

test('records of a MAF on the reverse strand are left out with a warning', async () => {
  const { rows, warnings } = await convertText(
    'maf',
    tsv(mafHeader, 'A GRCh38 1 100 + A T S1', 'B GRCh38 1 200 - A T S1'),
  );
  assert.deepEqual(pick(rows, 'gene', 'position'), ['A|100']);
  assert.match(warnings[0]?.message ?? '', /^1 records are on the strand - and were left out/);
});

test('a position 0 is refused where positions count from 1', async () => {
  await assert.rejects(
    convertText('maf', tsv(mafHeader, 'A GRCh38 1 0 + A T S1')),
    input(2, /Start_Position counts from 1/),
  );
  await assert.rejects(
    convertText(
      'copynumber',
      tsv('sample_id chromosome start_position end_position copy_number', 'S1 1 0 5 2'),
    ),
    input(2, /start_position counts from 1/),
  );
  await assert.rejects(
    convertText('fusion', tsv('sample_id gene1 gene2 start_position2', 'S1 A B 0')),
    input(2, /start_position2 counts from 1/),
  );
});

test('genes of GISTIC lose the place behind their symbol, which stays in attributes', async () => {
  const { rows } = await convertText(
    'copynumber',
    'Gene Symbol\tGene ID\tCytoband\tS1\nBRCA1|chr17\t672\t17q21\t1\nMIR1|ENSG00000199179.3\t9\t1q\t-1\nTP53\t7157\t17p\t0\n',
  );
  assert.deepEqual(pick(rows, 'gene', 'attributes').sort(), [
    'BRCA1|{"level":1,"Gene Symbol":"BRCA1|chr17","Gene ID":672,"Cytoband":"17q21"}',
    'MIR1|{"level":-1,"Gene Symbol":"MIR1|ENSG00000199179.3","Gene ID":9,"Cytoband":"1q"}',
    'TP53|{"level":0,"Gene ID":7157,"Cytoband":"17p"}',
  ]);
});

test('positions in columns of other names are in attributes, and a warning names the columns', async () => {
  const { rows, warnings } = await convertText(
    'copynumber',
    tsv('Sample Chromosome Start_Position.bp. End_Position.bp. Copy_Number', 'S1 1 5 9 3'),
  );
  assert.deepEqual(pick(rows, 'chromosome', 'start_position', 'copy_number'), ['chr1|-|3']);
  assert.match(
    warnings[0]?.message ?? '',
    /^These columns were kept in attributes: Start_Position\.bp\., End_Position\.bp\./,
  );
});

// SciLifeLab/Sarek 494: a build that the positions contradict.
test('rows beyond the end of their chromosome in the build of the file are counted', async () => {
  const row = (build: string) =>
    tsv(mafHeader, `TP53 ${build} 17 81195211 + A T S1`, `TP53 ${build} 17 5 + A T S1`);
  const messages = async (build: string): Promise<string> =>
    (await convertText('maf', row(build))).warnings.map(({ message }) => message).join();
  assert.match(
    await messages('GRCh37'),
    /^1 rows of variant are beyond the end of their chromosome in GRCh37/,
  );
  assert.equal(await messages('GRCh38'), '');
  const copies = tsv(
    'sample_id gene copy_number chromosome start_position end_position',
    'S1 TP53 3 17 83000000 83000009',
  );
  const { warnings } = await convertText('copynumber', copies, { genomeBuild: 'GRCh37' });
  assert.match(warnings[0]?.message ?? '', /^1 rows of copynumber are beyond/);
});

describe('values that contradict each other, or stand for none', () => {
  const names =
    'Hugo_Symbol Chromosome Start_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode';
  const said = ({ warnings }: { warnings: { message: string }[] }): string =>
    warnings.map(({ message }) => message).join();

  test('more reads of the alternate than reads, and percentages among allele fractions, are NULL', async () => {
    const excess = await convertText(
      'maf',
      tsv(`${names} t_depth t_alt_count`, 'A 1 9 C T S1 30 50', 'B 1 20 C T S1 30 5'),
    );
    assert.deepEqual(pick(excess.calls, 'depth', 'alternate_depth').toSorted(), ['-|-', '30|5']);
    assert.match(said(excess), /^1 records have more reads of the alternate/);
    const shares = await convertText('maf', tsv(`${names} t_vaf`, 'A 1 9 C T S1 37.5', 'B 1 20 C T S1 0.8'));
    assert.deepEqual(pick(shares.calls, 'allele_fraction'), ['-', '-']);
    assert.match(said(shares), /above 1, as percentages are/);
  });

  test('a mean of -999 has no copies', async () => {
    const segments = await convertText(
      'copynumber',
      tsv('ID chrom loc.start loc.end num.mark seg.mean', 'S1 1 5 9 7 -999', 'S1 2 5 9 7 -1'),
    );
    assert.deepEqual(pick(segments.rows, 'copy_number', 'status'), ['-|-', '1|partialLoss']);
    assert.match(said(segments), /1 segments have an infinite mean, or one beyond what can be measured/);
  });

  test('a line of sums and a word for a missing amount are named', async () => {
    const genes = ['G1 1.5 2', 'G2 3 4', 'G3 0 7', 'G4 2 1', 'G5 9 3'];
    const summed = await convertText('expression', tsv('gene_id S1 S2', ...genes, 'Total 15.5 17'));
    assert.match(said(summed), /The line Total is the sum of all others/);
    const missing = await convertText('expression', tsv('gene_id S1 S2', ...genes, 'G6 -9 -9'));
    assert.match(said(missing), /2 values are -9, and no others are below 0/);
    const usual = await convertText('expression', tsv('gene_id S1 S2', ...genes));
    assert.doesNotMatch(said(usual), /sum of all|below 0/);
  });
});

test('several symbols in one field are those of no row, but of a segment that reaches them', async () => {
  const fusions = await convertText(
    'fusion',
    tsv(
      '#FusionGene Score LeftBreakpoint RightBreakpoint',
      'EML4;EML4-AS1--ALK 0.9 chr2:42522656:+ chr2:29446394:-',
      'BCR;BCR--ABL1 0.9 chr22:23632600:+ chr9:133729451:+',
    ),
  );
  assert.deepEqual(pick(fusions.rows, 'gene1', 'gene2'), ['-|ALK', 'BCR|ABL1']);
  assert.equal(JSON.parse(String(fusions.rows[0]?.['attributes'])).genes1, 'EML4;EML4-AS1');
  assert.deepEqual(pick(fusions.alterations, 'gene').toSorted(), ['ABL1', 'ALK', 'BCR']);
  assert.match(fusions.warnings[0]?.message ?? '', /^1 texts name several genes, such as EML4;EML4-AS1,/);
  const maf = await convertText('maf', tsv(mafHeader, 'KRAS,LYRM5 GRCh38 1 100 + A T S1'));
  assert.deepEqual(pick(maf.rows, 'gene'), ['-']);
  assert.match(maf.warnings[0]?.message ?? '', /^1 texts name several genes/);
  const segments = await convertText(
    'copynumber',
    tsv('chromosome start end gene log2 probes', '1 0 100 MYC;PVT1 1 7'),
  );
  assert.deepEqual(pick(segments.rows, 'gene', 'copy_number').toSorted(), ['MYC|4', 'PVT1|4']);
});

test('whole numbers of a file that names them normalized are no counts', async () => {
  const units = async (name: string): Promise<string[]> =>
    pick(
      (await convertText('expression', tsv('gene_id S1 S2', 'ENSG00000141510 1 2'), {}, name)).rows,
      'raw_count',
      'expression_unit',
    );
  for (const name of ['normalized_counts.tsv', 'counts_TMM.tsv', 'salmon.norm.counts.tsv'])
    assert.deepEqual(await units(name), ['-|-', '-|-'], name);
  for (const name of ['normal_counts.tsv', 'enormous.counts.tsv', 'counts.tsv'])
    assert.deepEqual(await units(name), ['1|count', '2|count'], name);
});

test('whole differences of GISTIC are levels only under another name', async () => {
  const read = async (name: string): Promise<string[]> =>
    pick(
      (await convertText('copynumber', 'Gene Symbol\tGene ID\tCytoband\tS1\nERBB2\t1\t17q\t1\n', {}, name))
        .rows,
      'copy_number',
      'status',
    );
  assert.deepEqual(await read('all_data_by_genes.txt'), ['3|gain']);
  assert.deepEqual(await read('all_thresholded.by_genes.txt'), ['-|gain']);
});
