import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const vep = (names: string): string =>
  `##INFO=<ID=CSQ,Number=.,Type=String,Description="Consequence annotations from Ensembl VEP. Format: ${names}">`;

describe('records that were split after they were annotated', () => {
  const names = 'Allele|Consequence|IMPACT|SYMBOL';
  const split = async (command: string, record: string, ...alleles: string[]) => {
    const [alleleTexts, ...info] = record.split(';');
    const meta = [vep(names), ...(command === '' ? [] : [`##bcftools_normCommand=norm ${command}; Date=x`])];
    const csq = alleles.map((allele) => `${allele}|x|LOW|gene_${allele}`);
    const { variants, warnings } = await convertText(
      vcf([`1 5 . ${alleleTexts} . . ${[...info, `CSQ=${csq}`].join(';')}`], { meta }),
    );
    return [
      ...pick(variants, 'gene'),
      ...warnings.map(({ message }) => /of \d+ alternates/.exec(message)?.[0]),
    ];
  };
  const unclear = ['-', 'of 1 alternates'];

  // bcftools norm -m- -f ref.fa of `CAAA C,CA` returns `CAAA C` and `CAA C`, and of `GCA GTA,G` also `C T`; without -f `CAAA
  // CA` and `GCA GTA`.
  test('with alleles that may have been trimmed have annotations only where one allele alone can be meant', async () => {
    for (const command of ['', '-m- -f ref.fa', '-m - -Oz --fasta-ref ref.fa']) {
      assert.deepEqual(await split(command, 'CAA C', '-', 'A'), unclear);
      assert.deepEqual(await split(command, 'CAAA C', '-', 'A'), unclear);
      assert.deepEqual(await split(command, 'C T', 'TA', '-'), ['gene_TA']);
      assert.deepEqual(await split(command, 'A G', '-', 'G'), ['gene_G']);
      assert.deepEqual(await split(command, 'A C', 'C', 'G'), ['gene_C']);
      // `AA` would make the other allele the reference: it is of C CA,CAA.
      assert.deepEqual(await split(command, 'C CA', 'A', 'AA'), ['gene_A']);
      assert.deepEqual(await split(command, 'A C', 'G', 'T'), unclear);
    }
  });

  test('with alleles as they were have those of their own', async () => {
    assert.deepEqual(await split('-m-', 'CAAA C', '-', 'A'), ['gene_-']);
    assert.deepEqual(await split('-m- in.vcf', 'C CA', 'A', 'AAA'), ['gene_A']);
    assert.deepEqual(await split('-m- in.vcf', 'A AG', 'G', 'GG'), ['gene_G']);
    // Alleles that end with the same base as REF were not trimmed, by any splitting program.
    assert.deepEqual(await split('', 'CAAA CA', '-', 'A'), ['gene_A']);
    assert.deepEqual(await split('', 'GCA GTA', '-', 'TA'), ['gene_TA']);
  });

  test('split records have no annotations where the first base may be dropped or not, and both alleles are named', async () => {
    // VEP names G and AG for `A G,AG`, and for `A AG,AAG` too.
    for (const command of ['-m -any', '']) assert.deepEqual(await split(command, 'A AG', 'G', 'AG'), unclear);
    assert.deepEqual(await split('-m -any', 'GAG GG', 'G', 'GG', 'TAG'), unclear);
    // A named - shows that the first base of every allele was dropped.
    assert.deepEqual(await split('-m -any', 'TA TTA', '-', 'TA', 'TTA'), ['gene_TA']);
    assert.deepEqual(await split('-m -any', 'A AA', 'A', 'AA', '*'), ['gene_A']);
    assert.deepEqual(await split('-m -any', 'A AAA', 'AA', 'AAA'), ['gene_AA']);
  });

  test('records split by vt have the annotations of their OLD_MULTIALLELIC, trimmed or not', async () => {
    const bySplit = (record: string, old: string, ...alleles: string[]) =>
      split('', `${record};OLD_MULTIALLELIC=${old}`, ...alleles);
    for (const [record, gene] of [
      ['CAAA C', 'gene_-'],
      ['CAAA CA', 'gene_A'],
      ['CAA C', 'gene_A'],
    ] as const)
      assert.deepEqual(await bySplit(record, '1:5:CAAA/C/CA', '-', 'A'), [gene], record);
    assert.deepEqual(await bySplit('A AG', '1:5:A/G/AG', 'G', 'AG'), ['gene_AG']);
    assert.deepEqual(await bySplit('A AG', '1:5:A/AG/AAG', 'G', 'AG'), ['gene_G']);
    assert.deepEqual(await bySplit('C T', 'HLA:1:4:GC/GT/G', 'T', '-', 'GT'), ['gene_T']);
    // The annotation names another place.
    assert.deepEqual(await bySplit('CAA C', '1:6:CAAA/C/CA', '-', 'A'), unclear);
  });
});
