/** Counts of genes in files with other lines before those of the genes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, pick, tsv } from './conversion.fixture.ts';

test('STAR: reads of every gene are kept without the counters; a warning names the counts of stranded libraries', async () => {
  const text = tsv(
    'N_unmapped 10 10 10',
    'N_multimapping 5 5 5',
    'N_noFeature 3 9 9',
    'N_ambiguous 1 0 0',
    'ENSG1.2 8 2 6',
    'ENSG2.1 0 0 0',
  );
  for (const name of ['S1.ReadsPerGene.out.tab', 'S1_ReadsPerGene.out.tab.gz', 'S1ReadsPerGene.out.tab']) {
    const { rows, warnings } = await convertText('expression', text, {}, name);
    assert.deepEqual(
      pick(rows, 'sample_id', 'gene_id', 'expression', 'raw_count', 'expression_unit', 'attributes'),
      [
        'S1|ENSG1.2|8|8|count|{"stranded_first":2,"stranded_second":6}',
        'S1|ENSG2.1|0|0|count|{"stranded_first":0,"stranded_second":0}',
      ],
      name,
    );
    assert.match(
      warnings.map(({ message }) => message).join(),
      /^The counts are those for an unstranded library.*The library is stranded: 75 % of its reads are in stranded_second/,
    );
  }
  await assert.rejects(convertText('expression', `${text}ENSG3\t1.5\t0\t0\n`), {
    message: /^Line 7 is not a valid record \(STAR\): column 2: a count has to be a whole number/,
  });
});

const gctOf = (header: string, ...lines: string[]): string =>
  `#1.2\n${lines.length}\t${header.split(' ').length - 2}\n${tsv(header, ...lines)}`;

async function gct(text: string): Promise<string[]> {
  const { rows } = await convertText('expression', text, {}, 'gene_tpm.gct');
  return pick(rows, 'sample_id', 'gene_id', 'gene_name', 'expression', 'attributes').sort();
}

test('GCT: lines before the header are no genes, and the description is the symbol of the gene', async () => {
  const text = gctOf(
    'Name Description S1 S2',
    'ENSG1.1 BRAF 1.5 2',
    'ENSG2.1 HLA-A 0 3',
    'ENSG3.1 ENSG3.1 1 1',
  );
  assert.deepEqual(await gct(text), [
    'S1|ENSG1.1|BRAF|1.5|-',
    'S1|ENSG2.1|HLA-A|0|-',
    'S1|ENSG3.1|ENSG3.1|1|-',
    'S2|ENSG1.1|BRAF|2|-',
    'S2|ENSG2.1|HLA-A|3|-',
    'S2|ENSG3.1|ENSG3.1|1|-',
  ]);
});

test('GCT: of one sample, also in whole numbers', async () => {
  for (const value of ['5', '1.5'])
    assert.deepEqual(await gct(gctOf('Name Description S1', `ENSG1.1 BRAF ${value}`)), [
      `S1|ENSG1.1|BRAF|${value}|-`,
    ]);
});

test('a description that is no symbol stays in attributes', async () => {
  for (const description of ['kinase of cells', 'na', '673', 'ENSG1.1'])
    assert.deepEqual(await gct(gctOf('Name Description S1', 'ENSG1.1 @ 5').replace('@', description)), [
      `S1|ENSG1.1|-|5|{"Description":${description === '673' ? description : `"${description}"`}}`,
    ]);
  assert.deepEqual(await gct(tsv('gene_id Description S1', 'ENSG1 BRAF 5')), [
    'S1|ENSG1|-|5|{"Description":"BRAF"}',
  ]);
});

test('GCT 1.3 is refused, since lines of samples are among those of genes', async () => {
  // Its first lines may describe the samples: their ages would be values of a gene.
  const metadata = ['id\tsymbol\tS1\tS2', 'age\tna\t50\t60', 'ENSG1.1\tBRAF\t1.5\t2'];
  await assert.rejects(
    convertText('expression', `#1.3\n2\t2\t1\t1\n${metadata.join('\n')}\n`, {}, 'gene_tpm.gct'),
    { name: 'InputError' },
  );
});

test('a column of groups behind the genes is taken for no names of genes', async () => {
  const lines = ['ENST1\tS1\t3', 'ENST1\tS2\t4', 'ENST2\tS1\t5', 'ENST2\tS2\t6'];
  for (const order of [lines, lines.toSorted((one, other) => (one.slice(6) < other.slice(6) ? -1 : 1))])
    await assert.rejects(
      convertText(
        'expression',
        `#feature_id\tgroup_id\tcount\n${order.join('\n')}\n`,
        {},
        'x_grouped_counts.tsv',
      ),
      /Most genes have several texts in the column that was taken for their names/,
    );
});

test('an FPKM that Cufflinks could not estimate is no value', async () => {
  const head = 'tracking_id\tgene_id\tgene_short_name\tFPKM\tFPKM_status\n';
  const lines = 'a\tENSG1\tA\t4.5\tOK\nb\tENSG2\tB\t0\tLOWDATA\nc\tENSG3\tC\t0\tFAIL\n';
  const { rows, warnings } = await convertText('expression', head + lines, {}, 'S1.genes.fpkm_tracking');
  assert.deepEqual(pick(rows, 'sample_id', 'gene_id', 'expression'), ['S1|ENSG1|4.5']);
  assert.match(warnings.map(({ message }) => message).join(), /^2 lines were left out: by FPKM_status/);
});

test('a sample named after its file has a warning where an ending may be in it', async () => {
  for (const [file, sample, isWarned] of [
    ['S1.counts.txt', 'S1', false],
    ['S1.lane2.counts.txt', 'S1.lane2', true],
  ] as const) {
    const { rows, warnings } = await convertText('expression', 'gene_id\tcount\nENSG1\t3\n', {}, file);
    assert.deepEqual(pick(rows, 'sample_id'), [sample]);
    assert.equal(
      warnings.some(({ message }) => message.includes('set sampleId')),
      isWarned,
      file,
    );
  }
});
