/** Counts of genes whose files have other lines before those of the genes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, pick, tsv } from './conversion.fixture.ts';

test('STAR: reads of every gene without those of none, those of libraries with strands beside, which a warning says', async () => {
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
    assert.match(warnings.map(({ message }) => message).join(), /^The counts .* without strands/);
  }
  await assert.rejects(convertText('expression', `${text}ENSG3\t1.5\t0\t0\n`), {
    message: /^Line 7 is no STAR record: column 2: a count has to be a whole number/,
  });
});

test('GCT: what stands before the header is no gene, and the description no sample', async () => {
  const lines = ['Name\tDescription\tS1\tS2', 'ENSG1.1\tBRAF\t1.5\t2', 'ENSG2.1\tTP53\t0\t3'];
  const { rows } = await convertText('expression', `#1.2\n2\t2\n${lines.join('\n')}\n`, {}, 'gene_tpm.gct');
  assert.deepEqual(pick(rows, 'sample_id', 'gene_id', 'expression', 'expression_unit', 'attributes').sort(), [
    'S1|ENSG1.1|1.5|tpm|{"Description":"BRAF"}',
    'S1|ENSG2.1|0|tpm|{"Description":"TP53"}',
    'S2|ENSG1.1|2|tpm|{"Description":"BRAF"}',
    'S2|ENSG2.1|3|tpm|{"Description":"TP53"}',
  ]);
  // Its first lines may be of the samples: their ages would be values of a gene.
  const metadata = ['id\tsymbol\tS1\tS2', 'age\tna\t50\t60', ...lines.slice(1)];
  await assert.rejects(
    convertText('expression', `#1.3\n2\t2\t1\t1\n${metadata.join('\n')}\n`, {}, 'gene_tpm.gct'),
    { name: 'InputError' },
  );
});
