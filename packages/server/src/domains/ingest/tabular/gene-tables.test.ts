import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, pick, tsv } from './conversion.fixture.ts';

test('columns that say something of the gene are no samples, whatever annotator wrote them', async () => {
  const cases: [header: string, line: string, samples: string[]][] = [
    [
      'gene_id gene_name gene_chr gene_start gene_end gene_length gene_biotype S1 S2',
      'ENSG1 A 17 100 200 100 x 5 6',
      ['S1', 'S2'],
    ],
    ['gene_id entrez chr S1 S2', 'ENSG1 7157 17 5 6', ['S1', 'S2']],
    ['GeneID Length GC S1', 'ENSG1 1000 41 5', ['S1']],
    ['gene_id GC S1', 'ENSG1 41 5', ['GC', 'S1']],
  ];
  for (const [header, line, samples] of cases) {
    const { rows } = await convertText('expression', tsv(header, line), {}, 'all_counts.tsv');
    assert.deepEqual(pick(rows, 'sample_id').sort(), samples, header);
  }
});

test('the result of a comparison is no expression', async () => {
  const deseq = ',baseMean,log2FoldChange,lfcSE,stat,pvalue,padj\nENSG1,10.5,1.2,0.3,4,0.001,0.01\n';
  const edger = tsv('gene S1 logFC FDR', 'ENSG1 5 1.2 0.01');
  for (const text of [deseq, edger])
    await assert.rejects(convertText('expression', text, {}, 'all_counts.csv'), {
      name: 'InputError',
      message: /result of a comparison/,
    });
});

test('marks around the fields of a tab-separated file, as R and spreadsheets write them, are not part of the names', async () => {
  const text = '"gene_id"\t"S1"\t"S2"\n"ENSG1"\t5\t"6"\n';
  const { rows } = await convertText('expression', text, {}, 'counts.tsv');
  assert.deepEqual(pick(rows, 'sample_id', 'gene_id', 'raw_count'), ['S1|ENSG1|5', 'S2|ENSG1|6']);
});
