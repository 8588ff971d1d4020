import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

/**
 * Records as bcftools 1.16 wrote them, of two invented genes of 34 codons (ATG GTT GAA CTG AAA GGC TTC CAG ACC GAT CGT …): FWD
 * from 110 and REV back from 602.
 */
const header =
  '##INFO=<ID=BCSQ,Number=.,Type=String,Description="Haplotype-aware consequence annotation from BCFtools/csq, see http://samtools.github.io/bcftools/howtos/csq-calling.html for details. Format: Consequence|gene|transcript|biotype|strand|amino_acid_change|dna_change">';
const forward = 'FWD|ENST01|protein_coding';
const reverse = 'REV|ENST02|protein_coding';

const converted = (records: string[]) => convertText(vcf(records, { meta: [header], samples: ['S'] }));
const said = ['ebcanon_class', 'impact', 'gene', 'transcript_id', 'amino_acid_change'];
/** Rows of records of one sample. */
const rowsOf = async (...records: string[]): Promise<string[]> =>
  pick((await converted(records)).variants, 'position', 'alternate', ...said);

describe('consequences of haplotypes in BCSQ', () => {
  test('a star, for a consequence after a stop, changes nothing: rows are of alleles', async () => {
    assert.deepEqual(await rowsOf(`1 520 . T A . . BCSQ=*missense|${reverse}|-|28Q>28L|520T>A GT 0|1`), [
      '520 A missense_variant MODERATE REV ENST02 p.Gln28Leu',
    ]);
    const second = `1 521 . G A . . BCSQ=*missense&*splice_region|${reverse}|-|28Q>28L|521G>A GT 0|1`;
    assert.deepEqual(await rowsOf(second), ['521 A missense_variant MODERATE REV ENST02 p.Gln28Leu']);
  });

  test('the joint consequence of several records is the effect of each, without a change of its own', async () => {
    const alone = `missense|${forward}|+|3E>3K|116G>A`;
    const joint = `missense|${forward}|+|3E>3T|116G>A+117A>C`;
    assert.deepEqual(
      await rowsOf(`1 116 . G A . . BCSQ=${joint} GT:BCSQ 0|1:2`, '1 117 . A C . . BCSQ=@116 GT:BCSQ 0|1:2'),
      ['116 A missense_variant MODERATE FWD ENST01 -', '117 C missense_variant MODERATE FWD ENST01 -'],
    );
    // The consequence of the allele alone precedes the joint one.
    assert.deepEqual(
      await rowsOf(
        `1 116 . G A . . BCSQ=${alone},${joint} GT:BCSQ 1|1:9`,
        `1 117 . A C,G . . BCSQ=@116,missense|${forward}|+|3E>3G|117A>G GT:BCSQ 1|2:5`,
      ),
      [
        '116 A missense_variant MODERATE FWD ENST01 p.Glu3Lys',
        '117 C missense_variant MODERATE FWD ENST01 -',
        '117 G missense_variant MODERATE FWD ENST01 p.Glu3Gly',
      ],
    );
  });

  test('a consequence after a shift of the frame is no frameshift, though it is called one', async () => {
    const joint = `frameshift|${forward}|+|4LKGF*>4QRH*|119CTG>C+128T>A+140C>CTGA`;
    const { variants, warnings } = await converted([
      `1 119 . CTG C . . BCSQ=${joint} GT:BCSQ 0|1:2`,
      `1 128 . T A . . BCSQ=@119,missense|${forward}|+|7F>7I|128T>A GT:BCSQ 1|1:9`,
      '1 140 . C CTGA . . BCSQ=@119 GT:BCSQ 0|1:2',
    ]);
    assert.deepEqual(pick(variants, 'position', ...said), [
      '119 frameshift_variant HIGH FWD ENST01 -',
      '128 missense_variant MODERATE FWD ENST01 p.Phe7Ile',
      '140 - - FWD ENST01 -',
    ]);
    assert.match(warnings[0]?.message ?? '', /^The annotations of 1 alternates were left out/);
  });

  test('a reference to a later record is followed, too', async () => {
    const joint = `missense&inframe_altering|${reverse}|-|9TD>9PI|573A>AA+577GT>G`;
    assert.deepEqual(
      await rowsOf(
        '1 573 . A AA . . BCSQ=@577 GT:BCSQ 0|1:2',
        '1 575 . A C . . . GT 0|1',
        `1 577 . GT G . . BCSQ=${joint} GT:BCSQ 0|1:2`,
      ),
      [
        '573 AA missense_variant MODERATE REV ENST02 -',
        '575 C - - - - -',
        '577 G missense_variant MODERATE REV ENST02 -',
      ],
    );
  });

  test('a reference to a missing record has no annotation, and a warning', async () => {
    const { variants, warnings } = await converted(['1 117 . A C . . BCSQ=@116 GT 0|1']);
    assert.deepEqual(pick(variants, 'gene'), ['-']);
    assert.match(warnings[0]?.message ?? '', /^The annotations of 1 alternates were left out/);
    // The joint consequence of another chromosome does not count.
    const joint = `missense|${forward}|+|3E>3T|116G>A+117A>C`;
    const other = await converted([
      `2 116 . G A . . BCSQ=${joint} GT 0|1`,
      '1 117 . A C . . BCSQ=@116 GT 0|1',
    ]);
    assert.deepEqual(pick(other.variants, 'chromosome', 'gene'), ['chr1 -', 'chr2 FWD']);
  });

  test('a change with different consequences in different haplotypes keeps only their common part', async () => {
    const [one, other] = [`missense|${forward}|+|3E>3K|116G>A`, `stop_gained|${forward}|+|3E>3*|116G>A`];
    assert.deepEqual(await rowsOf(`1 116 . G A . . BCSQ=${one},${other} GT 1|1`), ['116 A - - FWD ENST01 -']);
  });
});
