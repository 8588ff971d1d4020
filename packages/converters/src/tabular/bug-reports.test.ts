/** Cases of public bug reports of other tools. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TabularType } from '@ploidy/formats';
import { convertText, pick, tsv } from './conversion.fixture.ts';
import { outcome, refused } from './outcome.fixture.ts';

const seg = 'ID chrom loc.start loc.end num.mark seg.mean';
const starFusion = '#FusionName LeftGene LeftBreakpoint RightGene RightBreakpoint';
const arriba = '#gene1 gene2 breakpoint1 breakpoint2 type reading_frame';
const ends = ['5end_fusion_partner', '3end_fusion_partner'];
const fusionCatcher = [
  ...ends.map((end, at) => `Gene_${at + 1}_symbol(${end})`),
  ...ends.map((end, at) => `Fusion_point_for_gene_${at + 1}(${end})`),
  'Predicted_effect',
].join(' ');
const jaffa = 'sample fusion_genes chrom1 base1 strand1 chrom2 base2 strand2 inframe'.replaceAll(' ', ',');

describe('copy number', () => {
  const copies = (content: string) =>
    outcome(
      'copynumber',
      'S1.seg',
      content,
      'sample_id',
      'chromosome',
      'start_position',
      'copy_number',
      'status',
    );

  test('copies of PureCN go before its mean, which does not regard purity', async () => {
    const { rows } = await copies(tsv(`${seg} C`, 'A 1 5 9 7 -0.13 1', 'A 2 5 9 7 -0.2 1.14'));
    assert.deepEqual(rows, ['A|chr1|5|1|partialLoss', 'A|chr2|5|1.14|partialLoss']);
  });

  test('ratios in place of logarithms have no copies, and logarithms of gains have', async () => {
    const lines = (least: number) =>
      Array.from({ length: 12 }, (_, at) => `A ${at + 1} 5 9 7 ${least + at / 20}`);
    const linear = await copies(tsv(seg, ...lines(0.7)));
    assert.match(linear.warnings, /may be ratios or copies instead of log2 ratios/);
    assert.ok(linear.rows.every((row) => row.endsWith('|5|-|-')));
    const called = await copies(tsv(`${seg} call`, ...lines(0.7).map((line) => `${line} loss`)));
    assert.ok(called.rows.every((row) => row.endsWith('|5|-|partialLoss')));
    for (const least of [-0.1, 0]) assert.equal((await copies(tsv(seg, ...lines(least)))).warnings, '');
  });

  test('segments that begin before the end of the one before are a warning', async () => {
    assert.match(
      (await copies(tsv(seg, 'A 1 100 200 5 0', 'A 1 200 300 5 0', 'B 1 250 300 5 0'))).warnings,
      /^1 segments start before the previous one has ended/,
    );
    assert.equal((await copies(tsv(seg, 'A 1 100 200 5 0', 'A 1 201 300 5 0', 'A 1 1 9 5 0'))).warnings, '');
  });

  test('chromosomes 25 and 26 are a warning', async () => {
    const { rows, warnings } = await copies(tsv(seg, 'A 23 5 9 7 0', 'A 25 5 9 7 0', 'A 26 5 9 7 0'));
    assert.deepEqual(rows, ['A|25|5|2|neutral', 'A|26|5|2|neutral', 'A|chrX|5|2|neutral']);
    assert.match(warnings, /^2 records are on chromosome 25 or 26/);
  });

  test('chromosome 23 of a species with more than 26 is not X', async () => {
    for (const other of ['27', 'chr29', '38'])
      await refused(
        'copynumber',
        'D1.seg',
        tsv(seg, 'A 23 5 9 7 0', `A ${other} 5 9 7 0`),
        /above 26, which no human has/,
      );
    const { rows } = await copies(tsv(seg, 'A X 5 9 7 0', 'A 38 5 9 7 0'));
    assert.deepEqual(rows, ['A|38|5|2|neutral', 'A|chrX|5|2|neutral']);
  });

  test('no copy number is below 0 or beyond all numbers', async () => {
    await refused(
      'copynumber',
      'S1.seg',
      tsv('Sample Chromosome Start End Copy_Number', 'A 1 1 5 -1'),
      /below 0/,
    );
    await refused(
      'copynumber',
      'S1.cns',
      tsv('chromosome start end gene log2 cn', 'chr1 0 5 X -1 -2'),
      /below 0/,
    );
    const { rows, warnings } = await copies(tsv(seg, 'A 1 5 9 7 1100'));
    assert.deepEqual(rows, ['A|chr1|5|-|-']);
    assert.match(warnings, /1 segments have an infinite mean/);
  });

  test('ids of digits stay as they are, and a segment without its place breaks its line', async () => {
    assert.deepEqual((await copies(tsv(seg, '002 1 1e+05 1.5e+06 7 0'))).rows, ['002|chr1|100000|2|neutral']);
    await refused('copynumber', 'S1.seg', `${tsv(seg)}A\t1\t\t\t7\t0\n`, /position is missing/);
    await refused('copynumber', 'S1.seg', tsv(seg, 'A 1 5 675653.5 7 0'), /whole number/);
    const facets = 'chrom seg num.mark cnlr.median start end cf.em tcn.em lcn.em';
    assert.deepEqual((await copies(tsv(facets, '1 1 9 -0.3 5 9 0.33 2 NA'))).rows, ['S1|chr1|5|2|neutral']);
  });
});

test('starts of 0 count from 0 where starts repeat ends', async () => {
  const from0 = tsv(seg, 'S1 1 0 100 10 0', 'S1 1 100 200 10 1', 'S1 2 5 9 3 -1');
  const { rows, warnings } = await convertText('copynumber', from0);
  assert.deepEqual(pick(rows, 'chromosome', 'start_position', 'end_position'), [
    'chr1|1|100',
    'chr1|101|200',
    'chr2|6|9',
  ]);
  assert.match(warnings.map(({ message }) => message).join(), /Starts of 0.* counts from 0/);
  await assert.rejects(convertText('copynumber', tsv(seg, 'S1 1 0 100 10 0', 'S1 2 101 200 10 1')), {
    name: 'InputError',
    message: /counts from 1, and is never 0/,
  });
});

test('position 0 is refused in every table whose positions count from 1', async () => {
  const cases: [type: TabularType, content: string][] = [
    ['copynumber', tsv(seg, 'A 17 0 567999 5 0.05')],
    ['copynumber', tsv('sample chr startpos endpos nMajor nMinor', 'A 1 0 5 1 1')],
    ['copynumber', tsv('chromosome start.pos end.pos depth.ratio CNt A B', '1 0 5 1 2 1 1')],
    ['fusion', tsv(starFusion, 'A--B A^E1 chr1:0:+ B^E2 chr2:5:-')],
    ['fusion', tsv(arriba, 'A B 4:5 4:0 deletion .')],
    ['fusion', tsv(fusionCatcher, 'A B 4:0:+ 5:9:- in-frame')],
    ['fusion', `${jaffa.replace('_', ' ')}\nS1,A:B,chr1,0,+,chr1,9,+,FALSE\n`],
    ['fusion', tsv('Sample_Id Site1_Hugo_Symbol Site2_Hugo_Symbol Site1_Position', 'S1 A B 0')],
    [
      'fusion',
      tsv(
        'gene1 gene2 gene_name1 gene_name2 gene_chromosome1 gene_chromosome2 genomic_break_pos1 genomic_break_pos2',
        'E1 E2 A B 1 2 0 5',
      ),
    ],
  ];
  for (const [type, content] of cases)
    await refused(
      type,
      'S1.tsv',
      content,
      /column \d+: (?:a position counts from 1|the breakpoint is not like)/,
    );
  const cns = await outcome(
    'copynumber',
    'S1.cns',
    tsv('chromosome start end gene log2 probes', 'chr1 0 5 - 0 9'),
    'start_position',
  );
  assert.deepEqual(cns.rows, ['1'], 'CNVkit counts from 0');
});

test('names that programs give to every file are not taken for samples', async () => {
  const line = tsv(fusionCatcher, 'A B 22:5:+ 9:9:- CDS(truncated)/UTR');
  for (const name of [
    'final-list_candidate-fusion-genes.txt',
    'run7/final-list_candidate-fusion-genes.hg19.txt',
  ])
    await refused('fusion', name, line, /set sampleId/);
  for (const name of [
    'S1.final-list_candidate-fusion-genes.GRCh38.txt',
    'S1_final-list_candidate-fusion-genes.txt',
  ])
    assert.deepEqual(
      (await outcome('fusion', name, line, 'sample_id', 'in_frame')).rows,
      ['S1|unknown'],
      name,
    );
  const dragen = tsv('#FusionGene LeftBreakpoint RightBreakpoint', 'A--B chr1:5:+ chr2:5:-');
  assert.deepEqual((await outcome('fusion', 'S1.fusion_candidates.final', dragen, 'sample_id')).rows, ['S1']);
});

test('fusions with several names, viruses, one gene and no distances are read as their programs mean them', async () => {
  const genes = async (...lines: string[]) =>
    (
      await outcome(
        'fusion',
        'S1.tsv',
        tsv(arriba, ...lines),
        'gene1',
        'gene2',
        'chromosome2',
        'effect',
        'in_frame',
      )
    ).rows;
  assert.deepEqual(
    await genes(
      'AC113430.1(19952) X 4:1 5:1 translocation in-frame',
      'RP11-180P8.1 TANC2 17:1 17:9 deletion stop-codon',
      '. HPV16 4:1 NC_001526.4:700 translocation .',
      'KMT2A KMT2A chr11:118482495 chr11:118468775 duplication/non-canonical_splicing out-of-frame',
    ),
    [
      '-|HPV16|NC_001526.4|translocation|unknown',
      '-|X|chr5|translocation|yes',
      'KMT2A|KMT2A|chr11|duplication/non-canonical_splicing|no',
      'RP11-180P8.1|TANC2|chr17|deletion|no',
    ],
  );
  const star = tsv(
    starFusion,
    'E1--E2 ENSG00000259881 KI270745.1:20:- AC005062.1^ENSG00000243004.6 chr7:10:-',
  );
  assert.deepEqual(
    (await outcome('fusion', 'S1.tsv', star, 'gene1', 'chromosome1', 'gene2', 'effect')).rows,
    ['-|KI270745.1|AC005062.1|translocation'],
  );
  const known = `${jaffa.replace('_', ' ')}\nS1,ARL3:ISG20,chr10,102685816,-,chr15,88639343,+,NA\n`;
  assert.deepEqual(
    (await outcome('fusion', 'jaffa_results.csv', known, 'gene1', 'start_position1', 'in_frame')).rows,
    ['ARL3|102685816|unknown'],
  );
  await refused(
    'fusion',
    'S1.txt',
    tsv(fusionCatcher, 'BCL2 IGH@ 18:63126312:- 14:63187169: in-frame'),
    /breakpoint is not like/,
  );
});
