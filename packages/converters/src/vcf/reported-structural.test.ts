/** Structural VCF files of public bug reports: ends are on the right sequence, or absent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const copyColumns = ['chromosome', 'start_position', 'end_position', 'copy_number', 'status'];
const ends = ['chromosome1', 'start_position1', 'chromosome2', 'start_position2', 'effect'];

test('copy numbers end by END or SVLEN of their own sequence', async () => {
  const cases: [report: string, record: string, expected: string[], warning?: RegExp][] = [
    ['dysgu 9', '17 0 . N <DUP> . . END=8699 GT 0/1', ['chr17 1 8699 - gain']],
    [
      'bcftools 2371',
      '1 10 . N <DUP> . . SVLEN=-20,30 GT 0/1',
      ['chr1 11 - - gain'],
      /a list of END or SVLEN/,
    ],
    ['samplot 117', '1 10 . N <DEL> . . CHR2=1;END=20 GT 0/1', ['chr1 11 20 1 partialLoss']],
    ['samplot 117', '1 10 . N <DEL> . . CHR2=chr1;END=20 GT 1/1', ['chr1 11 20 0 loss']],
    ['SVanalyzer 20', '1 10 . N <DEL> . . SVLEN=0 GT 0/1', ['chr1 11 - 1 partialLoss']],
    ['tabix-js 4', '22 10 . A <CN3> . . SVTYPE=CNV;END=90 GT 0|1', ['chr22 11 90 4 gain']],
    ['cyvcf2 37', '1 10 . G A,<*:DEL> . . END=90 GT 2/2', []],
  ];
  for (const [report, record, expected, warning = /^(?:None of the 1 records.*)?$/] of cases) {
    const { copies, warnings } = await convertText(vcf([record], { samples: ['S'] }));
    assert.deepEqual(pick(copies, ...copyColumns), expected, report);
    assert.match(warnings.map(({ message }) => message).join(), warning, report);
  }
});

test('joints end at CHR2, the breakend or the mate, also before POS', async () => {
  const cases: [report: string, records: string[], expected: string[]][] = [
    [
      'cuteSV 17, Sniffles 247',
      ['2 500 . N N[1:90[ . . SVTYPE=BND;CHR2=1;END=90 GT 0/1'],
      ['chr1 90 chr2 500 translocation'],
    ],
    [
      'Sniffles 112',
      ['4 13306615 . N ]5:26415600]N . . SVTYPE=BND;SVLEN=0 GT 1/1'],
      ['chr4 13306615 chr5 26415600 translocation'],
    ],
    [
      'htslib 428',
      ['22 16872532 . C ]X:153010136]TC . . CHR2=X;END=153010136;SVTYPE=BND GT 0/1'],
      ['chr22 16872532 chrX 153010136 translocation'],
    ],
    [
      'gnomad-sv-pipeline 3',
      ['12 60718971 . N <CTX> . . END=57020218;SVTYPE=CTX;CHR2=13;SVLEN=-1 GT 0/1'],
      ['chr12 60718971 chr13 57020218 translocation'],
    ],
    [
      'dysgu 9',
      ['1 136945 . N <TRA> . . SVTYPE=TRA;END=22780;CHR2=chrUn_KI270745v1;CT=3to3 GT 1/1'],
      ['chr1 136945 chrUn_KI270745v1 22780 translocation'],
    ],
    [
      'rock 3',
      ['2 211289778 m T [6:23687346[T . . SVTYPE=BND;MATEID=gone GT 0/1'],
      ['chr2 211289778 chr6 23687346 translocation'],
    ],
    ['mavis 217', ['1 100 . N N[1:900[ . . SVTYPE=BND GT 0/1'], ['chr1 100 chr1 900 deletion']],
    [
      'picard 833',
      ['HLA-A*01:01:01:01 5 . N N[HLA-B*07:02:01:9[ . . SVTYPE=BND GT 0/1'],
      ['HLA-A*01:01:01:01 5 HLA-B*07:02:01 9 translocation'],
    ],
    ['a joint without its other end', ['1 100 . N <TRA> . . SVTYPE=TRA;CHR2=5 GT 0/1'], []],
  ];
  for (const [report, records, expected] of cases) {
    const { fusions, warnings } = await convertText(vcf(records, { samples: ['S'] }));
    assert.deepEqual(pick(fusions, ...ends), expected, report);
    assert.equal(warnings.length > 0, expected.length === 0, report);
  }
});

test('no status contradicts the alternate of a genotype, whatever the depth suggests', async () => {
  const changes = [
    ['<DEL>', /^(?:loss|partialLoss)$/],
    ['<DEL:ME>', /^(?:loss|partialLoss)$/],
    ['<DUP>', /^(?:gain|amplification)$/],
    ['<DUP:TANDEM>', /^(?:gain|amplification)$/],
  ] as const;
  const numbers = ['0', '1', '2', '3', '7', '1.89', '.'];
  const cases = changes.flatMap(([alternate, status]) =>
    ['0/1', '1/1', '1', './1'].flatMap((genotype) =>
      numbers.map((copies) => ({ alternate, status, genotype, copies })),
    ),
  );
  for (const chromosome of ['1', 'X']) {
    const records = cases.map(
      ({ alternate, genotype, copies }, at) =>
        `${chromosome} ${at + 1}00 . N ${alternate} . PASS END=${at + 1}50 GT:CN ${genotype}:${copies}`,
    );
    const { copies } = await convertText(vcf(records, { samples: ['S'] }));
    assert.equal(copies.length, cases.length);
    for (const [at, row] of copies.entries()) assert.match(String(row['status']), cases[at]?.status ?? /^$/);
  }
});
