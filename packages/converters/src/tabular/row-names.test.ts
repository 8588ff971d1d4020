/** Tables whose lines begin with names of rows, as R writes them without a place in the header. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TabularType } from '@ploidy/formats';
import { convertText, pick, tsv } from './conversion.fixture.ts';

const genesOf = async (text: string, name = 'S.tsv'): Promise<string[]> => {
  const { rows } = await convertText('fusion', text, {}, name);
  return pick(rows, 'sample_id', 'gene1', 'gene2', 'attributes').sort();
};

describe('fusions with numbers of rows', () => {
  const expected = ['S|BCR|ABL1|{"reads":5}', 'S|EML4|ALK|{"reads":7}'];

  test('fusions with numbers of rows equal those without them, for any last column and ends of lines', async () => {
    for (const text of [
      'gene1\tgene2\treads\n1\tBCR\tABL1\t5\n2\tEML4\tALK\t7\n',
      // A column without a value, and one without a name.
      'gene1\tgene2\treads\tnote\n1\tBCR\tABL1\t5\t\n2\tEML4\tALK\t7\t\n',
      'gene1\tgene2\treads\tnote\n3\tBCR\tABL1\t5\t\n17\tEML4\tALK\t7\t\n',
      'gene1\tgene2\treads\t\n1\tBCR\tABL1\t5\n2\tEML4\tALK\t7\n',
      '"gene1" "gene2" "reads"\n"1" "BCR" "ABL1" 5\n"2" "EML4" "ALK" 7\n',
    ])
      assert.deepEqual(await genesOf(text), expected, text);
  });

  test("files of Arriba and STAR-Fusion are read with R's names of their first columns", async () => {
    const arriba = tsv(
      'X.gene1 gene2 strand1.gene.fusion. breakpoint1 breakpoint2 reading_frame tags',
      '1 BCR ABL1 +/+ 22:23632600 9:133729451 in-frame ',
      '2 EML4 ALK -/- 2:42264731 2:29223528 out-of-frame ',
    );
    const starFusion = tsv(
      'X.FusionName LeftGene LeftBreakpoint RightGene RightBreakpoint annots',
      '1 BCR--ABL1 BCR^ENSG1 chr22:23632600:+ ABL1^ENSG2 chr9:133729451:+ ',
      '2 EML4--ALK EML4^ENSG3 chr2:42264731:+ ALK^ENSG4 chr2:29223528:- ',
    );
    for (const text of [arriba, starFusion]) {
      const { rows } = await convertText('fusion', text);
      assert.deepEqual(pick(rows, 'gene1', 'gene2', 'chromosome1', 'start_position2').sort(), [
        'BCR|ABL1|chr22|133729451',
        'EML4|ALK|chr2|29223528',
      ]);
    }
  });
});

test('lines that end with a separator have no names of rows', async () => {
  assert.deepEqual(await genesOf('gene1,gene2\nBCR,ABL1,\nEML4,ALK,\n', 'S.csv'), [
    'S|BCR|ABL1|-',
    'S|EML4|ALK|-',
  ]);
  assert.deepEqual(await genesOf('gene1,gene2,reads\nBCR,ABL1,5,\nEML4,ALK,7,\n', 'S.csv'), [
    'S|BCR|ABL1|{"reads":5}',
    'S|EML4|ALK|{"reads":7}',
  ]);
  assert.deepEqual(await genesOf('gene1,gene2,note,\nBCR,ABL1,x,\nEML4,ALK,y,\n', 'S.csv'), [
    'S|BCR|ABL1|{"note":"x"}',
    'S|EML4|ALK|{"note":"y"}',
  ]);
});

test('a file with row names that look like values is refused, and no value moves to another column', async () => {
  for (const text of [
    'gene1,gene2,note\nBCR,ABL1,x,\nEML4,ALK,y,\n',
    'sample_id,gene1,gene2,note\n1,S,BCR,ABL1,\n2,S,EML4,ALK,\n',
    'gene1,gene2,note,\nBCR,ABL1,x,y\nEML4,ALK,y,z\n',
    // Names of rows, a column without a value, and separators at the end.
    'sample_id,gene1,gene2,note\n1,S,BCR,ABL1,,\n2,S,EML4,ALK,,\n',
  ])
    await assert.rejects(genesOf(text, 'S.csv'), {
      name: 'InputError',
      message: /the first field may be a row name or a value/,
    });
  // The last column may have lost its name.
  await assert.rejects(genesOf('gene1,gene2\nBCR,ABL1,x\nEML4,ALK,y\n', 'S.csv'), {
    message: /^Line 2 is not a valid record \(fusion\): it has 3 columns, but the header has 2/,
  });
});

test('ids that are numbers are never taken for names of rows, nor counts for ids', async () => {
  for (const text of [
    'gene_id,note,raw_count,expression\n673,x,5,6,\n25,y,7,8,\n',
    'gene_id,raw_count,note\n1,673,7,\n2,25,8,\n',
    'gene_id,raw_count,note\nENSG1,673,7,\nENSG2,25,8,\n',
  ])
    await assert.rejects(convertText('expression', text), { message: /row name/ }, text);
});

test('a reading that leaves the status empty in every line loses against one that fills it', async () => {
  const genes = async (text: string): Promise<string[]> =>
    pick((await convertText('copynumber', text)).rows, 'gene', 'status').sort();
  assert.deepEqual(await genes('gene\tstatus\nBRAF\tgain\t\nTP53\tloss\t\n'), ['BRAF|gain', 'TP53|loss']);
  assert.deepEqual(await genes('gene\tstatus\n1\tBRAF\tgain\n2\tTP53\tloss\n'), ['BRAF|gain', 'TP53|loss']);
  // Ambiguous texts identify nothing.
  await assert.rejects(genesOf('gene1,gene2,effect\nf1,BCR,ABL1,\nf2,EML4,ALK,\n'), {
    message: /row name/,
  });
});

test('tables of every kind are read behind numbers of rows', async () => {
  const tables: [type: TabularType, text: string, columns: string[], row: string][] = [
    ['copynumber', tsv('gene copy_number', '1 BRAF 3'), ['gene', 'copy_number'], 'BRAF|3'],
    [
      'copynumber',
      tsv('ID chrom loc.start loc.end num.mark seg.mean', '1 A 7 10 20 5 1'),
      ['sample_id', 'chromosome', 'start_position', 'copy_number'],
      'A|chr7|10|4',
    ],
    [
      'maf',
      tsv(
        'Hugo_Symbol Chromosome Start_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode HGVSp',
        '1 BRAF 7 5 A C T1 ',
      ),
      ['sample_id', 'gene', 'position', 'alternate'],
      'T1|BRAF|5|C',
    ],
    [
      'expression',
      tsv('gene_id sample_id expression expression_unit', '1 ENSG1 A 5 tpm'),
      ['sample_id', 'gene_id', 'expression'],
      'A|ENSG1|5',
    ],
    [
      'expression',
      tsv('Name Length EffectiveLength TPM NumReads', '1 ENST1 9 8 1.5 3'),
      ['gene_id', 'expression', 'raw_count'],
      'ENST1|1.5|3',
    ],
  ];
  for (const [type, text, columns, row] of tables)
    assert.deepEqual(pick((await convertText(type, text)).rows, ...columns), [row], text);
});

test('counts that R writes of one sample or several keep ids and samples, also Entrez ids, with any separator', async () => {
  for (const divider of ['\t', ',', ' ']) {
    for (const samples of [['A'], ['A', 'B']]) {
      const lines = [
        samples.map((name) => `"${name}.bam"`),
        ['"653635"', ...samples.map((_, at) => `${at + 5}`)],
        ['"100422834"', ...samples.map((_, at) => `${at + 7}`)],
      ];
      const text = `${lines.map((line) => line.join(divider)).join('\n')}\n`;
      const { rows } = await convertText('expression', text, {}, 'counts.txt');
      const expected = samples.flatMap((name, at) => [
        `${name}|100422834|${at + 7}`,
        `${name}|653635|${at + 5}`,
      ]);
      assert.deepEqual(pick(rows, 'sample_id', 'gene_id', 'raw_count').sort(), expected.sort(), text);
    }
  }
});

test('results of a comparison are refused with row names, too, whatever program wrote them', async () => {
  for (const header of [
    '"baseMean" "log2FoldChange" "lfcSE" "stat" "pvalue" "padj"',
    '"logFC" "logCPM" "F" "PValue" "FDR" "x"',
    '"logFC" "AveExpr" "t" "P.Value" "adj.P.Val" "B"',
    '"p_val" "avg_log2FC" "pct.1" "pct.2" "p_val_adj" "x"',
    '"pval" "qval" "b" "se_b" "mean_obs" "x"',
  ]) {
    for (const text of [
      `${header}\n"ENSG1" 1 2 3 4 5 6\n`,
      `${header}\n"ENSG1" 1 2 3 4 5 6\n`.replaceAll(' ', '\t'),
    ])
      await assert.rejects(convertText('expression', text, {}, 'counts.txt'), {
        name: 'InputError',
        message: /result of a comparison/,
      });
  }
});
