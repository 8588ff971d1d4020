import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { annotationsOfText, convertText, pick, vcf } from './conversion.fixture.ts';

/**
 * Records as bcftools 1.16 wrote them, of two invented genes of 34 codons (ATG GTT GAA CTG AAA GGC TTC CAG ACC GAT CGT …): FWD
 * from 110 and REV back from 602.
 */
const header =
  '##INFO=<ID=BCSQ,Number=.,Type=String,Description="Haplotype-aware consequence annotation from BCFtools/csq, see http://samtools.github.io/bcftools/howtos/csq-calling.html for details. Format: Consequence|gene|transcript|biotype|strand|amino_acid_change|dna_change">';
const forward = 'FWD|ENST01|protein_coding';

const converted = (records: string[], samples = ['S'], meta = [header]) =>
  convertText(vcf(records, { meta, samples }));
const said = ['ebcanon_class', 'impact', 'gene', 'transcript_id', 'amino_acid_change'];
/** Rows of records of one sample. */
const rowsOf = async (...records: string[]): Promise<string[]> =>
  pick((await converted(records)).variants, 'position', 'alternate', ...said);

describe('BCSQ of bcftools csq', () => {
  test('the consequences of BCSQ fill the columns as those of VEP do', async () => {
    const { variants } = await converted([
      `1 113 . G A . . BCSQ=missense|${forward}|+|2V>2I|113G>A GT:BCSQ 0|1:2`,
      '1 180 . C A . . BCSQ=intron|FWD||protein_coding GT 0|1',
    ]);
    assert.deepEqual(pick(variants, ...said, 'ebcanon_group', 'biotype', 'is_canonical'), [
      'missense_variant MODERATE FWD ENST01 p.Val2Ile missense protein_coding -',
      'intron_variant MODIFIER FWD - - - protein_coding -',
    ]);
  });

  test('every consequence has a term of the Sequence Ontology, and an impact that follows from it', async () => {
    const one = (terms: string) => `1 9 . A C . . BCSQ=${terms}|${forward} GT 0/1`;
    const expected = {
      synonymous: 'synonymous_variant LOW',
      stop_lost: 'stop_lost HIGH',
      stop_gained: 'stop_gained HIGH',
      inframe_deletion: 'inframe_deletion MODERATE',
      inframe_insertion: 'inframe_insertion MODERATE',
      frameshift: 'frameshift_variant HIGH',
      splice_acceptor: 'splice_acceptor_variant HIGH',
      splice_donor: 'splice_donor_variant HIGH',
      splice_region: 'splice_region_variant LOW',
      stop_retained: 'stop_retained_variant LOW',
      start_retained: 'start_retained_variant LOW',
      '5_prime_utr': '5_prime_UTR_variant MODIFIER',
      '3_prime_utr': '3_prime_UTR_variant MODIFIER',
      non_coding: 'non_coding_transcript_variant MODIFIER',
      intron: 'intron_variant MODIFIER',
      inframe_altering: 'protein_altering_variant MODERATE',
      coding_sequence: 'coding_sequence_variant MODIFIER',
      'missense&inframe_altering': 'missense_variant MODERATE',
      // The gravest first, whatever order they are in.
      'synonymous&splice_acceptor': 'splice_acceptor_variant HIGH',
      something_new: 'something_new -',
    };
    const { variants } = await converted(Object.keys(expected).map(one));
    assert.deepEqual(pick(variants, 'ebcanon_class', 'impact'), Object.values(expected));
  });

  test('the change of the protein is HGVS where the letters are enough for it, else there is none', async () => {
    const changeOf = async (terms: string, letters: string): Promise<unknown> => {
      const record = `1 9 . A C . . BCSQ=${terms}|${forward}|+|${letters}|9A>C GT 0/1`;
      return (await converted([record])).variants[0]?.['amino_acid_change'];
    };
    assert.equal(await changeOf('synonymous', '12V'), 'p.Val12=');
    assert.equal(await changeOf('stop_gained', '25K>25*'), 'p.Lys25Ter');
    assert.equal(await changeOf('stop_retained', '34*'), 'p.Ter34=');
    assert.equal(await changeOf('start_lost', '1M>1V'), 'p.Met1?');
    // After a deletion of the same haplotype the codon moves; the reference's number counts.
    assert.equal(await changeOf('stop_lost', '34*>33S'), 'p.Ter34SerextTer?');
    assert.equal(await changeOf('missense', '4LK>4QG'), 'p.Leu4_Lys5delinsGlnGly');
    assert.equal(await changeOf('missense', '4LK>4LG'), 'p.Lys5Gly');
    // L and K stay; A S R P I V L N precede the new stop, which is the ninth.
    const shift = '14LKGFQTDRVELKGFQTDRVE*>14LKASRPIVLN*';
    assert.equal(await changeOf('frameshift', shift), 'p.Gly16AlafsTer9');
    assert.equal(await changeOf('frameshift', '14LKG>14LKA'), 'p.Gly16AlafsTer?');
    assert.equal(await changeOf('frameshift', '5KGF*>5*'), 'p.Lys5Ter');
    assert.equal(await changeOf('missense', '4L>4'), null);
    // `KK` may follow: HGVS would name the last one.
    assert.equal(await changeOf('inframe_deletion', '14LK>14L'), null);
    assert.equal(await changeOf('inframe_insertion', '11R>11LS'), null);
    assert.equal(await changeOf('inframe_deletion', '18Q>18?'), null);
    // Abbreviated with `--trim-protein-seq`.
    assert.equal(await changeOf('frameshift', '9T..34>9P..14'), null);
  });

  test('two entries about one transcript are one annotation', async () => {
    const [region, missense] = [`splice_region|${forward}`, `missense|${forward}|+|17F>17L|160C>A`];
    assert.deepEqual(await rowsOf(`1 160 . C A . . BCSQ=${region},${missense} GT:BCSQ 0|1:10`), [
      '160 A missense_variant MODERATE FWD ENST01 p.Phe17Leu',
    ]);
    assert.deepEqual(await rowsOf('1 602 . T A . . BCSQ=start_lost|REV|ENST02|protein_coding|- GT 0|1'), [
      '602 A start_lost HIGH REV ENST02 p.Met1?',
    ]);
  });

  test('each of several alternates has the consequence of its own change', async () => {
    const [toI, toL] = [`missense|${forward}|+|2V>2I|113G>A`, `missense|${forward}|+|2V>2L|113G>C`];
    assert.deepEqual(await rowsOf(`1 113 . G A,C . . BCSQ=${toI},${toL},${toL} GT:BCSQ 1|2:9`), [
      '113 A missense_variant MODERATE FWD ENST01 p.Val2Ile',
      '113 C missense_variant MODERATE FWD ENST01 p.Val2Leu',
    ]);
    const gone = `inframe_deletion|${forward}|+|14LK>14L|151GAAA>G`;
    const shift = `frameshift|${forward}|+|14LKGF*>14LKAS*|151GAAA>GAA`;
    assert.deepEqual(await rowsOf(`1 151 . GAAA G,GAA . . BCSQ=${gone},${shift} GT:BCSQ 1|2:24`), [
      '151 G inframe_deletion MODERATE FWD ENST01 -',
      '151 G frameshift_variant HIGH FWD ENST01 p.Gly16AlafsTer3',
    ]);
  });

  test('an entry without a change applies to all alternates that cannot differ in it, else only gene and transcript', async () => {
    const both = `splice_region&intron|${forward}`;
    // One base each: the place decides.
    assert.deepEqual(await rowsOf(`1 163 . A C,G . . BCSQ=${both} GT 1|2`), [
      '163 C splice_region_variant LOW FWD ENST01 -',
      '163 G splice_region_variant LOW FWD ENST01 -',
    ]);
    // The terms of both are in one entry: one may be intron only.
    assert.deepEqual(await rowsOf(`1 164 . AGTGGT A,AGTGGTT . . BCSQ=${both} GT 1|2`), [
      '164 A - - FWD ENST01 -',
      '168 GT - - FWD ENST01 -',
    ]);
    assert.deepEqual(await rowsOf(`1 164 . AGTGGT A,AGTGGTT . . BCSQ=intron|${forward} GT 1|2`), [
      '164 A intron_variant MODIFIER FWD ENST01 -',
      '168 GT intron_variant MODIFIER FWD ENST01 -',
    ]);
  });

  test('a record that was split and trimmed later has its own annotations only', async () => {
    const gone = `inframe_deletion|${forward}|+|14LK>14L|151GAAA>G`;
    const shift = `frameshift|${forward}|+|14LKGF*>14LKAS*|151GAAA>GAA`;
    const records = [
      `1 151 . GAAA G . . BCSQ=${gone},${shift} GT 0/1`,
      `1 151 . GA G . . BCSQ=${gone},${shift} GT 0/1`,
      // An alternate that it does not name, for example one that was moved to the left later.
      `1 150 . TGAA T . . BCSQ=${gone},${shift} GT 0/1`,
    ];
    assert.deepEqual(await rowsOf(...records), [
      '150 T - - FWD ENST01 -',
      '151 G inframe_deletion MODERATE FWD ENST01 -',
      '151 G frameshift_variant HIGH FWD ENST01 p.Gly16AlafsTer3',
    ]);
    const { warnings } = await converted(records);
    assert.match(warnings[0]?.message ?? '', /^The annotations of 1 alternates were left out/);
  });

  test('the transcript with the gravest effect represents its gene', async () => {
    const [low, high] = [
      `synonymous|${forward}|+|2V|113G>A`,
      'stop_gained|FWD|ENST09|protein_coding|+|5V>5*|113G>A',
    ];
    assert.deepEqual(await rowsOf(`1 113 . G A . . BCSQ=${low},${high} GT 0|1`), [
      '113 A stop_gained HIGH FWD ENST09 p.Val5Ter',
    ]);
  });

  test('another key, an old header and none at all are understood', async () => {
    const record = (key: string) => [`1 113 . G A . . ${key}=missense|${forward}|+|2V>2I|113G>A GT 0/1`];
    const expected = ['missense_variant MODERATE FWD ENST01 p.Val2Ile'];
    const other = header.replace('ID=BCSQ', 'ID=CONSEQUENCE');
    assert.deepEqual(
      pick((await converted(record('CONSEQUENCE'), ['S'], [other])).variants, ...said),
      expected,
    );
    const old = header.replace(
      /Format: .*"/,
      `Format: '[*]consequence|gene|transcript|biotype[|strand|amino_acid_change|dna_change]'"`,
    );
    assert.deepEqual(pick((await converted(record('BCSQ'), ['S'], [old])).variants, ...said), expected);
    assert.deepEqual(pick((await converted(record('BCSQ'), ['S'], [])).variants, ...said), expected);
  });

  test('SnpEff and VEP go before it; records without theirs have it', async () => {
    const own = `BCSQ=missense|${forward}|+|2V>2I|113G>A`;
    const records = [
      `1 113 . G A . . ${own};ANN=A|stop_gained|HIGH|OTHER GT 0/1`,
      `1 113 . G A . . ${own} GT 0/1`,
    ];
    assert.deepEqual(pick((await converted(records)).variants, 'gene', 'ebcanon_class'), [
      'OTHER stop_gained',
      'FWD missense_variant',
    ]);
  });

  test('texts of any length are read in linear time', async () => {
    const long = 200_000;
    const values = [
      `missense|${forward}|+|${'1'.repeat(long)}>>|${'1A>'.repeat(long)}`,
      `missense|${forward}|+|1M>${'1'.repeat(long)}>|9A>C`,
      '@'.repeat(long),
      Array.from({ length: long }, (_, at) => `missense|G${at}`).join(','),
    ];
    for (const value of values) {
      const { variants } = await converted([
        '1 8 . A C . . BCSQ=@9 GT 0/1',
        `1 9 . A C . . BCSQ=${value} GT 0/0`,
      ]);
      assert.deepEqual(pick(variants, 'position', 'gene'), ['8 -']);
    }
  });

  test('genotypes, ids and other INFO stay what they are', async () => {
    const { variants } = await converted(
      [
        `1 113 rs7 G A . . gnomADg_AF=0.25;BCSQ=missense|${forward}|+|2V>2I|113G>A;CLNSIG=Benign GT 0|1 0/0 1/1`,
      ],
      ['A', 'B', 'C'],
    );
    assert.deepEqual(
      pick(
        variants,
        'sample_id',
        'genotype',
        'rs_id',
        'population_allele_frequency',
        'clinical_significance',
        'gene',
      ),
      ['A 0|1 rs7 0.25 Benign FWD', 'C 1/1 rs7 0.25 Benign FWD'],
    );
  });

  test('a deletion that is symbolic has its gene', async () => {
    const meta = [header, '##INFO=<ID=END,Number=1,Type=Integer,Description="End">'];
    const record = `1 110 . G <DEL> . . END=200;BCSQ=coding_sequence|${forward}|+||110G><DEL> GT 0/1`;
    assert.deepEqual(pick((await converted([record], ['S'], meta)).copies, 'gene'), ['FWD']);
  });

  test('an allele in an annotation file is unchanged by BCSQ', async () => {
    const text = vcf([`1 113 rs7 G A . . BCSQ=missense|${forward}|+|2V>2I|113G>A;AF=0.5`], {
      meta: [header],
    });
    const { rows, warnings } = await annotationsOfText(text);
    assert.deepEqual(pick(rows, 'position', 'rs_id', 'population_allele_frequency'), ['113 rs7 0.5']);
    assert.deepEqual(warnings, []);
  });
});
