import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, type TableRow, tsv } from './conversion.fixture.ts';

const attributes = (row: TableRow | undefined): unknown => JSON.parse(String(row?.['attributes']));

test('an own table of fusions is read unchanged, and other columns become attributes', async () => {
  const text = [
    'sample_id,gene1,gene2,effect,chromosome1,start_position1,end_position1,chromosome2,start_position2,end_position2,interpretation,sequence_type,in_frame,reads',
    'S1,EML4,ALK,inversion,2,42264731,42264731,chr2,29223528,29223528,driver,RNA,Yes,37',
  ].join('\r\n');
  const { rows, sequences } = await convertText('fusion', text, { testType: 'panel' });
  assert.deepEqual(rows, [
    {
      sample_id: 'S1',
      gene1: 'EML4',
      gene2: 'ALK',
      effect: 'inversion',
      chromosome1: 'chr2',
      start_position1: 42264731n,
      end_position1: 42264731n,
      chromosome2: 'chr2',
      start_position2: 29223528n,
      end_position2: 29223528n,
      interpretation: 'driver',
      sequence_type: 'RNA',
      in_frame: 'yes',
      attributes: '{"reads":37}',
      fusion_set_id: 'set',
    },
  ]);
  assert.deepEqual(pick(sequences, 'id', 'test_type'), ['S1|panel']);
});

describe('STAR-Fusion', () => {
  const header =
    '#FusionName JunctionReadCount SpanningFragCount SpliceType LeftGene LeftBreakpoint RightGene RightBreakpoint JunctionReads FFPM annots';

  test('genes, breakpoints and frame; what joins them follows from both strands', async () => {
    const text = tsv(
      `${header} PROT_FUSION_TYPE`,
      'BCR--ABL1 50 20 ONLY_REF_SPLICE BCR^ENSG00000186716.21 chr22:23290413:+ ABL1^ENSG00000097007.19 chr9:130854064:+ r1,r2 2.5 ["Cosmic"] INFRAME',
      'EML4--ALK 5 2 ONLY_REF_SPLICE EML4^E1 2:42264731:+ ALK^E2 2:29223528:- r3 0.1 . FRAMESHIFT',
    );
    const { rows, sequences } = await convertText(
      'fusion',
      text,
      {},
      'S7_star/star-fusion.fusion_predictions.tsv',
    );
    const ends = ['chromosome1', 'start_position1', 'end_position1', 'chromosome2', 'start_position2'];
    assert.deepEqual(
      pick(rows, 'sample_id', 'gene1', 'gene2', 'effect', ...ends, 'in_frame', 'sequence_type'),
      [
        'S7|EML4|ALK|inversion|chr2|42264731|42264731|chr2|29223528|no|RNA',
        'S7|BCR|ABL1|translocation|chr22|23290413|23290413|chr9|130854064|yes|RNA',
      ],
    );
    assert.deepEqual(attributes(rows[1]), {
      gene_id1: 'ENSG00000186716.21',
      gene_id2: 'ENSG00000097007.19',
      strand1: '+',
      strand2: '+',
      JunctionReadCount: 50,
      SpanningFragCount: 20,
      SpliceType: 'ONLY_REF_SPLICE',
      FFPM: 2.5,
      annots: '["Cosmic"]',
      PROT_FUSION_TYPE: 'INFRAME',
    });
    assert.deepEqual(pick(sequences, 'id'), ['S7']);
  });

  test('without a coding effect the frame is unknown; sequenceType of the request goes before ours', async () => {
    const text = tsv(header, 'A--B 1 1 x A^1 1:10:+ B^2 1:99:+ r 1 .');
    const { rows } = await convertText('fusion', text, { sequenceType: 'panel RNA' });
    assert.deepEqual(pick(rows, 'effect', 'in_frame', 'sequence_type'), ['deletion|unknown|panel RNA']);
  });

  test('before version 1.0 its columns had other names; numbers of reads are attributes, their names are not', async () => {
    const text = tsv(
      '#fusion_name JunctionReads SpanningFrags Splice_type LeftGene LeftBreakpoint RightGene RightBreakpoint JunctionReads SpanningFrags',
      'A--B 13 55 ONLY_REF_SPLICE A^E1 chr5:10:- B^E2 chr11:77:+ r1,r2 r3 ',
    );
    const { rows } = await convertText('fusion', text);
    assert.deepEqual(pick(rows, 'gene1', 'gene2', 'effect', 'chromosome2', 'start_position2'), [
      'A|B|translocation|chr11|77',
    ]);
    const { JunctionReads, SpanningFrags } = attributes(rows[0]) as Record<string, unknown>;
    assert.deepEqual([JunctionReads, SpanningFrags], [13, 55]);
  });

  test('a file without a fusion has its sample all the same', async () => {
    const { tables, sequences } = await convertText('fusion', tsv(header));
    assert.deepEqual(
      tables.map(({ table, rows }) => [table, rows]),
      [
        ['fusion', 0],
        ['sequence', 1],
        ['sample_profile', 1],
        ['alteration', 0],
      ],
    );
    assert.deepEqual(pick(sequences, 'id'), ['S1']);
  });

  test('an unreadable breakpoint or gene is reported with its column', async () => {
    const line = (left: string) => tsv(header, `A--B 1 1 x A^1 ${left} B^2 1:99:+ r 1 .`);
    await assert.rejects(convertText('fusion', line('1-10')), {
      name: 'InputError',
      message: 'Line 2 is not a valid record (STAR-Fusion): column 6: the breakpoint is not like chr1:100:+.',
      column: 6,
    });
    const { warnings, rows } = await convertText('fusion', line('1-10'), { onError: 'skip' });
    assert.deepEqual([rows.length, warnings[0]?.line], [0, 2]);
  });
});

test('Arriba: genes, breakpoints, type and reading frame; names of reads are left out', async () => {
  const text = tsv(
    '#gene1 gene2 strand1(gene/fusion) strand2(gene/fusion) breakpoint1 breakpoint2 type confidence reading_frame read_identifiers',
    'BCR ABL1 +/+ +/+ 22:23632600 9:133729451 translocation high in-frame r1,r2',
    'A(10),B(20) C +/. -/+ 1:5 1:900 deletion/read-through low stop-codon .',
    'D E +/+ -/- 3:5 3:900 inversion low . .',
  );
  const { rows } = await convertText('fusion', text, { sampleId: 'S', patientId: 'P' });
  assert.deepEqual(
    pick(
      rows,
      'sample_id',
      'gene1',
      'gene2',
      'effect',
      'chromosome1',
      'start_position1',
      'in_frame',
      'sequence_type',
    ),
    [
      'S|-|C|deletion/read-through|chr1|5|no|RNA',
      'S|BCR|ABL1|translocation|chr22|23632600|yes|RNA',
      'S|D|E|inversion|chr3|5|unknown|RNA',
    ],
  );
  assert.deepEqual(attributes(rows[1]), {
    'strand1(gene/fusion)': '+/+',
    'strand2(gene/fusion)': '+/+',
    confidence: 'high',
    reading_frame: 'in-frame',
  });
});

test('deFuse: names and breakpoints of both genes, whose ids are attributes; what joined them and the frame', async () => {
  const header =
    'cluster_id splitr_sequence splitr_count deletion eversion gene1 gene2 gene_chromosome1 gene_chromosome2 gene_name1 gene_name2 genomic_break_pos1 genomic_break_pos2 genomic_strand1 genomic_strand2 interchromosomal inversion library_name orf span_count';
  const text = tsv(
    header,
    '7 ACGT|TTTT 12 N N ENSG00000186716 ENSG00000097007 22 9 BCR ABL1 23632600 133729451 + - Y N L1 Y 20',
    '8 ACGT 3 N Y ENSG1 ENSG2 X X A  5 900 + + N N L2 N 4',
  );
  const { rows, sequences } = await convertText('fusion', text);
  const ends = ['chromosome1', 'start_position1', 'end_position1', 'chromosome2', 'end_position2'];
  assert.deepEqual(
    pick(rows, 'sample_id', 'gene1', 'gene2', 'effect', ...ends, 'in_frame', 'sequence_type'),
    [
      'L1|BCR|ABL1|translocation|chr22|23632600|23632600|chr9|133729451|yes|RNA',
      'L2|A|ENSG2|duplication|chrX|5|5|chrX|900|no|RNA',
    ],
  );
  assert.deepEqual(attributes(rows[0]), {
    gene_id1: 'ENSG00000186716',
    gene_id2: 'ENSG00000097007',
    cluster_id: 7,
    splitr_count: 12,
    genomic_strand1: '+',
    genomic_strand2: '-',
    orf: 'Y',
    span_count: 20,
  });
  assert.deepEqual(pick(sequences, 'id'), ['L1', 'L2']);
});
