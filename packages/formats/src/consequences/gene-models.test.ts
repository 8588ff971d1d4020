import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GeneModels } from './gene-models.ts';
import { transcriptsOf } from './genome.fixture.ts';
import { readTranscript, writeTranscript } from './transcript.ts';

const lines = (...rows: string[]): string =>
  rows.map((row) => row.replaceAll(/ +/g, '\t').replaceAll('_~_', ' ')).join('\n');

/** One gene with a transcript of two exons on the reverse strand, as each source writes it. */
const flavours = {
  Ensembl: lines(
    '1 havana gene 100 400 . - . ID=gene:ENSG1;Name=ABC;biotype=protein_coding;version=3',
    '1 havana mRNA 100 400 . - . ID=transcript:ENST1;Parent=gene:ENSG1;biotype=protein_coding;tag=basic,Ensembl_canonical,MANE_Select;transcript_id=ENST1;version=2',
    '1 havana three_prime_UTR 100 149 . - . Parent=transcript:ENST1',
    '1 havana exon 100 200 . - . Parent=transcript:ENST1;Name=ENSE2',
    '1 havana CDS 150 200 . - 0 ID=CDS:ENSP1;Parent=transcript:ENST1;protein_id=ENSP1',
    '1 havana exon 300 400 . - . Parent=transcript:ENST1;Name=ENSE1',
    '1 havana CDS 300 398 . - 0 ID=CDS:ENSP1;Parent=transcript:ENST1;protein_id=ENSP1',
    '###',
  ),
  GENCODE: lines(
    'chr1 HAVANA gene 100 400 . - . ID=ENSG1.3;gene_id=ENSG1.3;gene_type=protein_coding;gene_name=ABC',
    'chr1 HAVANA transcript 100 400 . - . ID=ENST1.2;Parent=ENSG1.3;gene_id=ENSG1.3;transcript_id=ENST1.2;transcript_type=protein_coding;gene_name=ABC;tag=basic,MANE_Select,CCDS',
    'chr1 HAVANA exon 300 400 . - . ID=exon:ENST1.2:1;Parent=ENST1.2;gene_name=ABC',
    'chr1 HAVANA CDS 300 398 . - 0 ID=CDS:ENST1.2;Parent=ENST1.2;protein_id=ENSP1',
    'chr1 HAVANA start_codon 396 398 . - 0 ID=start_codon:ENST1.2;Parent=ENST1.2',
    'chr1 HAVANA exon 100 200 . - . ID=exon:ENST1.2:2;Parent=ENST1.2',
    'chr1 HAVANA CDS 150 200 . - 0 ID=CDS:ENST1.2;Parent=ENST1.2;protein_id=ENSP1',
  ),
  RefSeq: lines(
    'NC_000001.11 BestRefSeq gene 100 400 . - . ID=gene-ABC;gene=ABC;gene_biotype=protein_coding',
    'NC_000001.11 BestRefSeq exon 300 400 . - . ID=exon-1;Parent=rna-ENST1.2;transcript_id=ENST1.2',
    'NC_000001.11 BestRefSeq exon 100 200 . - . ID=exon-2;Parent=rna-ENST1.2;transcript_id=ENST1.2',
    'NC_000001.11 BestRefSeq CDS 300 398 . - 0 ID=cds-ENSP1;Parent=rna-ENST1.2;protein_id=ENSP1',
    'NC_000001.11 BestRefSeq CDS 150 200 . - 0 ID=cds-ENSP1;Parent=rna-ENST1.2;protein_id=ENSP1',
    'NC_000001.11 BestRefSeq mRNA 100 400 . - . ID=rna-ENST1.2;Parent=gene-ABC;transcript_id=ENST1.2;tag=MANE_~_Select;gene=ABC',
  ),
};

describe('gene models', () => {
  for (const [name, text] of Object.entries(flavours)) {
    test(`${name}: names, exons, coding range and choice of a transcript`, () => {
      const [found] = transcriptsOf(text);
      assert.ok(found);
      assert.deepEqual(found, {
        ...{ chromosome: 'chr1', id: 'ENST1.2', proteinId: 'ENSP1', gene: 'ABC', biotype: 'protein_coding' },
        ...{ standing: 'mane_select', isReverse: true },
        ...{ exonStarts: Int32Array.of(100, 300), exonEnds: Int32Array.of(200, 400) },
        ...{ codingStart: 2, codingEnd: 152, phase: 0, hasStart: true, hasEnd: true, isExact: true },
        ...{ geneticCode: 1, selenocysteines: [] },
      });
      assert.deepEqual(readTranscript('chr1', writeTranscript(found)), found);
    });
  }

  const transcript = (id: string, ...rows: string[]): string =>
    lines(
      `1 x mRNA 1 900 . + . ID=${id};Parent=g;biotype=protein_coding`,
      ...rows.map((row) => `${row};Parent=${id}`),
    );

  test('each feature is of a transcript, or left out for a reason', () => {
    const text = [
      ...Object.values(flavours),
      transcript('t', '1 x exon 1 30 . + . ID=e1', '1 x five_prime_UTR 1 3 . + . ID=u1'),
      lines(
        '1 x biological_region 1 9 . + . ID=b',
        '1 x exon 1 9 . + . Parent=gone',
        '1 x exon 1 9 . + . ID=e2',
        '1 x match 1 9 . + . ID=m',
        '1 x ncRNA_gene 1 9 . + . Name=n',
      ),
    ].join('\n');
    const rows = text.split('\n').filter((row) => row !== '###');
    const models = new GeneModels(() => undefined);
    for (const row of rows) assert.equal(models.take(row.split('\t')), undefined);
    models.end();
    const { records, leftOut } = models.book.account(rows.length);
    assert.equal(records, rows.length);
    const counts = leftOut.map(({ name, count }) => `${count} ${name}`).toSorted();
    assert.deepEqual(counts, [
      '1 alignments without gaps',
      '1 parts without a parent',
      '1 their parent is missing, or on another sequence or strand',
      '2 features without exons and coding ranges',
      '3 they follow from exons and coding ranges, or describe no gene',
    ]);
  });

  test('without a choice of the source, the longest coding sequence is canonical, then the most bases', () => {
    const text = [
      lines('1 x gene 1 900 . + . ID=g;Name=ABC'),
      transcript('a', '1 x exon 1 900 . + . ID=e1', '1 x CDS 1 30 . + 0 ID=c1'),
      transcript('b', '1 x exon 1 90 . + . ID=e2', '1 x CDS 1 60 . + 0 ID=c2'),
      transcript('c', '1 x exon 1 99 . + . ID=e3', '1 x CDS 1 60 . + 0 ID=c3'),
    ].join('\n');
    const chosen = transcriptsOf(text).filter(({ standing }) => standing === 'canonical');
    assert.deepEqual(
      chosen.map(({ id }) => id),
      ['c'],
    );
  });

  test('a frame that does not fit, a skipped base and an alignment with gaps leave codons unknown', () => {
    const of = (...rows: string[]): boolean | undefined =>
      transcriptsOf([transcript('t', ...rows), '###'].join('\n'))[0]?.isExact;
    const exons = ['1 x exon 1 10 . + . ID=e1', '1 x exon 21 40 . + . ID=e2'];
    assert.equal(of(...exons, '1 x CDS 1 10 . + 0 ID=c', '1 x CDS 21 40 . + 2 ID=c'), true);
    assert.equal(of(...exons, '1 x CDS 1 10 . + 0 ID=c', '1 x CDS 21 40 . + 1 ID=c'), false);
    assert.equal(of(...exons, '1 x CDS 1 10 . + 0 ID=c', '1 x CDS 22 40 . + 2 ID=c'), false);
    const gapped = '1 x cDNA_match 1 40 . + . ID=m;Target=t_~_1_~_30;Gap=M10_~_I1_~_M19';
    const text = lines(
      '1 x mRNA 1 40 . + . ID=t;transcript_id=t',
      '1 x exon 1 40 . + . ID=e;Parent=t',
      gapped,
    );
    assert.equal(transcriptsOf(text)[0]?.isExact, false);
  });

  test('a coding sequence directly under its gene is a transcript, and the mitochondrion has its own code', () => {
    const text = lines('MT x gene 5 40 . + . ID=g1;Name=ND1', 'MT x CDS 5 40 . + 0 ID=c1;Parent=g1');
    const [found] = transcriptsOf(text);
    assert.deepEqual([found?.gene, found?.chromosome, found?.geneticCode], ['ND1', 'chrM', 2]);
    assert.deepEqual([found?.exonStarts[0], found?.codingEnd], [5, 36]);
  });

  test('copies of a gene on X and Y with equal ids are two genes', () => {
    const copy = (sequence: string): string =>
      lines(
        `${sequence} x gene 1 60 . + . ID=g;Name=CRLF2`,
        `${sequence} x mRNA 1 60 . + . ID=t;Parent=g;biotype=protein_coding`,
        `${sequence} x exon 1 60 . + . ID=e;Parent=t`,
        `${sequence} x CDS 1 60 . + 0 ID=c;Parent=t`,
      );
    const found = transcriptsOf(`${copy('X')}\n${copy('Y')}`);
    assert.deepEqual(
      found.map(({ chromosome, exonStarts, isExact }) => [chromosome, exonStarts.length, isExact]),
      [
        ['chrX', 1, true],
        ['chrY', 1, true],
      ],
    );
  });

  test('a genetic code that is not known leaves codons unknown', () => {
    const exact = (table: number): boolean | undefined =>
      transcriptsOf(
        lines('1 x gene 1 60 . + . ID=g;Name=A', `1 x CDS 1 60 . + 0 ID=c;Parent=g;transl_table=${table}`),
      )[0]?.isExact;
    assert.deepEqual([1, 4, 11, 6].map(exact), [true, true, true, false]);
  });
});
