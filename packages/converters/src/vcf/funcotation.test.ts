import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const gencode = (version: string): string[] =>
  [
    'hugoSymbol',
    'ncbiBuild',
    'variantClassification',
    'secondaryVariantClassification',
    'annotationTranscript',
    'cDnaChange',
    'codonChange',
    'proteinChange',
  ].map((name) => `Gencode_${version}_${name}`);
const sources = [
  'ClinVar_VCF_ALLELEID',
  'ClinVar_VCF_CLNDN',
  'ClinVar_VCF_CLNREVSTAT',
  'ClinVar_VCF_CLNSIG',
  'dbSNP_RS',
  'gnomAD_genome_AF',
  'gnomAD_genome_AF_nfe',
];
const header = (names: readonly string[]): string =>
  `##INFO=<ID=FUNCOTATION,Number=A,Type=String,Description="Functional annotation from the Funcotator tool.  Funcotation fields are: ${names.join('|')}">`;
const plain = header(gencode('43'));
const full = header([...gencode('43'), ...sources]);

const converted = (meta: string[], alleles: string, value: string, more = '') =>
  convertText(vcf([`7 5 . ${alleles} . . FUNCOTATION=${value}${more}`], { meta }));
const said = ['alternate', 'ebcanon_class', 'impact', 'gene', 'transcript_id', 'amino_acid_change'];
const rowsOf = async (alleles: string, value: string): Promise<string[]> =>
  pick((await converted([plain], alleles, value)).variants, ...said);

const braf = 'BRAF|hg38|MISSENSE||ENST00000288602.11|c.1799T>A|c.(1798-1800)gTg>gAg|p.V600E';

describe('FUNCOTATION of GATK Funcotator', () => {
  test('the fields of Gencode stand in the columns as those of VEP do, whatever its version is', async () => {
    for (const version of ['19', '27', '34', '43']) {
      const { variants, warnings } = await converted([header(gencode(version))], 'A T', `[${braf}]`);
      assert.deepEqual(pick(variants, ...said, 'ebcanon_group', 'biotype', 'is_canonical'), [
        'T missense_variant MODERATE BRAF ENST00000288602.11 p.Val600Glu missense - -',
      ]);
      assert.deepEqual(warnings, []);
    }
  });

  test('classifications of Funcotator become those of a MAF, in the terms of the Sequence Ontology', async () => {
    const expected = {
      MISSENSE: 'missense_variant MODERATE',
      NONSENSE: 'stop_gained HIGH',
      NONSTOP: 'stop_lost HIGH',
      SILENT: 'synonymous_variant LOW',
      SPLICE_SITE: 'splice_site_variant HIGH',
      IN_FRAME_DEL: 'inframe_deletion MODERATE',
      IN_FRAME_INS: 'inframe_insertion MODERATE',
      FRAME_SHIFT_DEL: 'frameshift_variant HIGH',
      FRAME_SHIFT_INS: 'frameshift_variant HIGH',
      START_CODON_SNP: 'start_lost HIGH',
      START_CODON_DEL: 'start_lost HIGH',
      START_CODON_INS: 'start_lost HIGH',
      DE_NOVO_START_IN_FRAME: '5_prime_UTR_premature_start_codon_gain_variant LOW',
      DE_NOVO_START_OUT_FRAME: '5_prime_UTR_premature_start_codon_gain_variant LOW',
      FIVE_PRIME_UTR: '5_prime_UTR_variant MODIFIER',
      THREE_PRIME_UTR: '3_prime_UTR_variant MODIFIER',
      FIVE_PRIME_FLANK: 'upstream_gene_variant MODIFIER',
      THREE_PRIME_FLANK: 'downstream_gene_variant MODIFIER',
      INTRON: 'intron_variant MODIFIER',
      RNA: 'non_coding_transcript_variant MODIFIER',
      LINCRNA: 'non_coding_transcript_variant MODIFIER',
      IGR: 'intergenic_variant MODIFIER',
      COULD_NOT_DETERMINE: '- -',
      Missense_Mutation: 'missense_variant MODERATE',
    };
    for (const [name, terms] of Object.entries(expected)) {
      const { variants } = await converted([plain], 'A T', `[G|hg38|${name}||T|||]`);
      assert.deepEqual(pick(variants, 'ebcanon_class', 'impact'), [terms], name);
    }
  });

  test('each alternate has its own; of the transcripts of one that speaks whose effect is graver', async () => {
    const silent = 'BRAF|hg38|SILENT||ENST2|c.1800G>A||p.V600V';
    const other = 'OTHER|hg38|INTRON||ENST3|||';
    assert.deepEqual(await rowsOf('A C,T', `[${silent}]#[${other}],[${silent}]#[${braf}]`), [
      'C synonymous_variant LOW BRAF ENST2 p.Val600=',
      'C intron_variant MODIFIER OTHER ENST3 -',
      'T missense_variant MODERATE BRAF ENST00000288602.11 p.Val600Glu',
    ]);
  });

  test('a variant between genes has neither gene nor transcript', async () => {
    assert.deepEqual(await rowsOf('A T', '[Unknown|hg38|IGR||no_transcript|||]'), [
      'T intergenic_variant MODIFIER - - -',
    ]);
  });

  test('changes that are not HGVS are none', async () => {
    const changeOf = async (change: string) =>
      (await converted([plain], 'A T', `[G|hg38|IN_FRAME_DEL||T|||${change}]`)).variants[0]?.[
        'amino_acid_change'
      ];
    assert.equal(await changeOf('p.R97*'), 'p.Arg97Ter');
    assert.equal(await changeOf('p.E746_A750del'), 'p.Glu746_Ala750del');
    assert.equal(await changeOf('p.K15fs'), 'p.Lys15fs');
    assert.equal(await changeOf('p.746_751ELREAT>A'), null);
    assert.equal(await changeOf('p.14_15insS'), null);
  });

  test('annotations whose number differs from the alternates are left out; a gene and transcript that all of them name are kept', async () => {
    const silent = 'BRAF|hg38|SILENT||ENST00000288602.11|||p.V600V';
    const { variants, warnings } = await converted([plain], 'A T', `[${silent}],[${braf}]`);
    assert.deepEqual(pick(variants, ...said), ['T - - BRAF ENST00000288602.11 -']);
    assert.match(warnings[0]?.message ?? '', /^The annotations of 1 alternates were left out/);
    const elsewhere = await converted([plain], 'A T', `[${silent}],[OTHER|hg38|INTRON||T|||]`);
    assert.deepEqual(pick(elsewhere.variants, ...said), ['T - - - - -']);
  });

  test('codes are decoded, and ClinVar, dbSNP and gnomAD of its data sources are taken', async () => {
    const value = `[${braf}|29000|Noonan_%20_syndrome_%7C_Lung_%2C__%20_cancer|reviewed_by_expert_panel|Pathogenic/Likely_pathogenic|113488022|4.0e-6|0.00001]`;
    const { variants } = await converted([full], 'A T', value);
    assert.deepEqual(
      variants.map((row) => [
        row['clinical_disease'],
        row['clinical_review'],
        row['clinical_significance'],
        row['clinvar_allele_id'],
        row['clinical_submission'],
        row['rs_id'],
        row['population_allele_frequency'],
        row['maximum_allele_frequency'],
      ]),
      [
        [
          'Noonan syndrome|Lung, cancer',
          'reviewed by expert panel'.replaceAll(' ', '_'),
          'Pathogenic/Likely_pathogenic',
          '29000',
          null,
          'rs113488022',
          4.0e-6,
          0.00001,
        ],
      ],
    );
  });

  test('each alternate has its own values of ClinVar, and those of INFO precede them', async () => {
    const [known, unknown] = [`[${braf}|1|D|r|Pathogenic||0.1|]`, `[${braf}||||||0.2|]`];
    const rows = async (more = '') =>
      pick(
        (await converted([full], 'A C,T', `${unknown},${known}`, more)).variants,
        'alternate',
        'clinical_significance',
        'population_allele_frequency',
      );
    assert.deepEqual(await rows(), ['C - 0.2', 'T Pathogenic 0.1']);
    assert.deepEqual(await rows(';CLNSIG=Benign'), ['C - 0.2', 'T - 0.1'], 'nothing names its alternate');
    assert.deepEqual(await rows(';CLNSIG=Benign,Likely_benign'), ['C Benign 0.2', 'T Likely_benign 0.1']);
  });

  test('a Funcotation without names of its fields is not read, with a warning', async () => {
    const { variants, warnings } = await converted([], 'A T', `[${braf}]`);
    assert.deepEqual(pick(variants, 'gene'), ['-']);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0]?.message ?? '',
      /^The annotations of GATK Funcotator \(INFO FUNCOTATION\) are not read/,
    );
  });
});
