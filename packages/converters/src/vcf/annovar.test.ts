import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const meta = ['Func', 'Gene', 'GeneDetail', 'ExonicFunc', 'AAChange'].map(
  (name) =>
    `##INFO=<ID=${name}.refGene,Number=.,Type=String,Description="${name}.refGene annotation provided by ANNOVAR">`,
);
const converted = (alleles: string, info: string) =>
  convertText(vcf([`7 5 . ${alleles} . . ${info}`], { meta }));
const said = ['alternate', 'ebcanon_class', 'impact', 'gene', 'transcript_id', 'amino_acid_change'];

/** INFO that table_annovar.pl writes for one alternate. */
const block = (
  values: Partial<Record<'Func' | 'Gene' | 'GeneDetail' | 'ExonicFunc' | 'AAChange', string>>,
  more = '',
  table = 'refGene',
): string => {
  const { Func = '.', Gene = '.', GeneDetail = '.', ExonicFunc = '.', AAChange = '.' } = values;
  const named = { Func, Gene, GeneDetail, ExonicFunc, AAChange };
  const fields = Object.entries(named).map(([name, value]) => `${name}.${table}=${value}`);
  return `ANNOVAR_DATE=2020-06-08;${fields.join(';')};${more}ALLELE_END`;
};
const rowsOf = async (alleles: string, ...blocks: string[]): Promise<string[]> =>
  pick((await converted(alleles, blocks.join(';'))).variants, ...said).toSorted();

const braf = {
  Func: 'exonic',
  Gene: 'BRAF',
  ExonicFunc: 'nonsynonymous_SNV',
  AAChange: 'BRAF:NM_004333:exon15:c.T1799A:p.V600E,BRAF:NM_001354609:exon15:c.T1799A:p.V600E',
};

describe('the genes of ANNOVAR', () => {
  test('annotations of ANNOVAR fill the columns that those of VEP fill', async () => {
    const { variants, warnings } = await converted('A T', `DP=5;${block(braf)}`);
    assert.deepEqual(pick(variants, ...said, 'ebcanon_group', 'biotype', 'is_canonical'), [
      'T missense_variant MODERATE BRAF NM_004333 p.Val600Glu missense - -',
    ]);
    assert.deepEqual(warnings, []);
  });

  test('ExonicFunc has terms of the Sequence Ontology', async () => {
    const expected = {
      nonsynonymous_SNV: 'missense_variant MODERATE',
      synonymous_SNV: 'synonymous_variant LOW',
      stopgain: 'stop_gained HIGH',
      stoploss: 'stop_lost HIGH',
      startloss: 'start_lost HIGH',
      frameshift_insertion: 'frameshift_variant HIGH',
      frameshift_deletion: 'frameshift_variant HIGH',
      frameshift_substitution: 'frameshift_variant HIGH',
      nonframeshift_insertion: 'inframe_insertion MODERATE',
      nonframeshift_deletion: 'inframe_deletion MODERATE',
      nonframeshift_substitution: 'protein_altering_variant MODERATE',
      unknown: 'coding_sequence_variant MODIFIER',
    };
    for (const [name, terms] of Object.entries(expected)) {
      for (const AAChange of ['G:NM_1:exon1:c.A1T:p.M1L', 'UNKNOWN']) {
        const { variants } = await converted(
          'A T',
          block({ Func: 'exonic', Gene: 'G', ExonicFunc: name, AAChange }),
        );
        assert.deepEqual(pick(variants, 'gene', 'ebcanon_class', 'impact'), [`G ${terms}`], name);
      }
    }
  });

  test('Func has terms of the Sequence Ontology', async () => {
    const expected = {
      splicing: 'splice_site_variant HIGH',
      ncRNA_exonic: 'non_coding_transcript_exon_variant MODIFIER',
      ncRNA_intronic: 'intron_variant MODIFIER',
      ncRNA_splicing: 'splice_site_variant HIGH',
      UTR5: '5_prime_UTR_variant MODIFIER',
      UTR3: '3_prime_UTR_variant MODIFIER',
      intronic: 'intron_variant MODIFIER',
      upstream: 'upstream_gene_variant MODIFIER',
      downstream: 'downstream_gene_variant MODIFIER',
    };
    for (const [name, terms] of Object.entries(expected)) {
      const { variants } = await converted('A T', block({ Func: name, Gene: 'G' }));
      assert.deepEqual(pick(variants, 'gene', 'ebcanon_class', 'impact'), [`G ${terms}`], name);
    }
  });

  test('details of splice sites and UTRs name the transcripts, and the kind of site', async () => {
    const said = (Func: string, GeneDetail: string) => rowsOf('A T', block({ Func, Gene: 'G', GeneDetail }));
    assert.deepEqual(await said('splicing', 'NM_1:exon3:c.123+1G>A'), [
      'T splice_donor_variant HIGH G NM_1 -',
    ]);
    assert.deepEqual(await said('splicing', 'NM_1:exon4:c.124-2A>G,NM_2:exon3:c.100+2A>G'), [
      'T splice_acceptor_variant HIGH G NM_1 -',
    ]);
    assert.deepEqual(await said('splicing', 'NM_1:exon3:r.spl\\x3bNM_2:exon4:c.124-1A>G'), [
      'T splice_site_variant HIGH G NM_1 -',
    ]);
    assert.deepEqual(await said('UTR3', 'NM_3:c.*35G>A'), ['T 3_prime_UTR_variant MODIFIER G NM_3 -']);
    // They name no genes.
    const two = block({ Func: 'splicing', Gene: 'A\\x3bB', GeneDetail: 'NM_1:exon3:c.123+1G>A' });
    assert.deepEqual(await rowsOf('A T', two), [
      'T splice_site_variant HIGH A - -',
      'T splice_site_variant HIGH B - -',
    ]);
  });

  test('between genes a variant has no gene, whatever is on both sides', async () => {
    const between = {
      Func: 'intergenic',
      Gene: 'NONE\\x3bDDX11L1',
      GeneDetail: 'dist\\x3dNONE\\x3bdist\\x3d1869',
    };
    assert.deepEqual(await rowsOf('A T', block(between)), ['T intergenic_variant MODIFIER - - -']);
  });

  test('several genes have their own values each', async () => {
    assert.deepEqual(await rowsOf('A T', block({ Func: 'upstream\\x3bdownstream', Gene: 'A\\x3bB,C' })), [
      'T downstream_gene_variant MODIFIER B - -',
      'T downstream_gene_variant MODIFIER C - -',
      'T upstream_gene_variant MODIFIER A - -',
    ]);
    assert.deepEqual(await rowsOf('A T', block({ Func: 'intronic', Gene: 'A\\x3bB' })), [
      'T intron_variant MODIFIER A - -',
      'T intron_variant MODIFIER B - -',
    ]);
    // The upstream one of the three is unknown.
    assert.deepEqual(await rowsOf('A T', block({ Func: 'upstream\\x3bdownstream', Gene: 'A\\x3bB\\x3bC' })), [
      'T - - A - -',
      'T - - B - -',
      'T - - C - -',
    ]);
    const two = {
      ...braf,
      Func: 'exonic\\x3bsplicing',
      Gene: 'BRAF\\x3bBRAF',
      GeneDetail: 'NM_9:exon2:c.5+1G>A',
    };
    assert.deepEqual(await rowsOf('A T', block(two)), ['T splice_donor_variant HIGH BRAF NM_9 -']);
  });

  test('an alternate without a named change is in an exon, and nothing more is sure if others have one', async () => {
    assert.deepEqual(await rowsOf('A T', block({ ...braf, Gene: 'BRAF\\x3bOTHER' })), [
      'T coding_sequence_variant MODIFIER OTHER - -',
      'T missense_variant MODERATE BRAF NM_004333 p.Val600Glu',
    ]);
  });

  test('changes of the protein are HGVS, or none', async () => {
    const changeOf = async (change: string) =>
      (await converted('A T', block({ ...braf, AAChange: `BRAF:NM_004333:exon15:c.X:${change}` })))
        .variants[0]?.['amino_acid_change'];
    assert.equal(await changeOf('p.R97X'), 'p.Arg97Ter');
    assert.equal(await changeOf('p.R97*'), 'p.Arg97Ter');
    assert.equal(await changeOf('p.V12V'), 'p.Val12=');
    assert.equal(await changeOf('p.G16Afs*9'), 'p.Gly16AlafsTer9');
    assert.equal(await changeOf('p.G16fs'), 'p.Gly16fs');
    assert.equal(await changeOf('p.E746_A750del'), 'p.Glu746_Ala750del');
    assert.equal(await changeOf('p.L747_P753delinsS'), 'p.Leu747_Pro753delinsSer');
    assert.equal(await changeOf('p.X34S'), 'p.Ter34SerextTer?');
    assert.equal(await changeOf('p.M1?'), 'p.Met1?');
    assert.equal(await changeOf('p.14_15del'), null);
    assert.deepEqual(await rowsOf('A T', block({ ...braf, AAChange: 'BRAF:NM_004333:wholegene' })), [
      'T missense_variant MODERATE BRAF NM_004333 -',
    ]);
  });

  test('each of several alternates has its own block', async () => {
    const silent = {
      ...braf,
      ExonicFunc: 'synonymous_SNV',
      AAChange: 'BRAF:NM_004333:exon15:c.T1799C:p.V600V',
    };
    const [one, other] = [
      block(silent, 'gnomAD_genome_ALL=.;avsnp150=rs1;CLNSIG=.;CLNDN=.;'),
      block(braf, 'gnomAD_genome_ALL=0.25;avsnp150=rs2;CLNSIG=Pathogenic;CLNDN=Lung\\x2c_cancer;'),
    ];
    const { variants } = await converted('A C,T', `${one};${other}`);
    assert.deepEqual(
      pick(variants, ...said, 'rs_id', 'population_allele_frequency', 'clinical_significance'),
      [
        'C synonymous_variant LOW BRAF NM_004333 p.Val600= rs1 - -',
        'T missense_variant MODERATE BRAF NM_004333 p.Val600Glu rs2 0.25 Pathogenic',
      ],
    );
    assert.deepEqual(
      variants.map((row) => row['clinical_disease']),
      [null, 'Lung, cancer'],
    );
  });

  test('blocks whose number differs from the alternates have no owner: only genes and transcripts that all name are kept', async () => {
    const silent = {
      ...braf,
      ExonicFunc: 'synonymous_SNV',
      AAChange: 'BRAF:NM_004333:exon15:c.T1799C:p.V600V',
    };
    const { variants, warnings } = await converted('A T', `${block(silent)};${block(braf)}`);
    assert.deepEqual(pick(variants, ...said), ['T - - BRAF NM_004333 -']);
    assert.match(warnings[0]?.message ?? '', /^The annotations of 1 alternates were left out/);
    assert.deepEqual(await rowsOf('A C,T', block(braf)), [
      'C - - BRAF NM_004333 -',
      'T - - BRAF NM_004333 -',
    ]);
  });

  test('frequencies and ClinVar of its other tables are taken, codes are decoded', async () => {
    const more =
      'gnomAD_genome_ALL=0.02;gnomAD_exome_ALL=0.5;gnomAD_genome_AFR=0.01;ExAC_ALL=0.3;1000g2015aug_all=0.4;esp6500siv2_all=0.6;AF=0.9;' +
      'CLNALLELEID=29000;CLNDN=Noonan_syndrome\\x2c_type_1|not_provided;CLNREVSTAT=criteria_provided\\x2c_single_submitter;CLNSIG=Pathogenic;cosmic70=ID\\x3dCOSM476\\x3bOCCURRENCE\\x3d1(skin);';
    const { variants } = await convertText(vcf([`7 5 12345 A T . . ${block(braf, more)}`], { meta }));
    assert.deepEqual(
      variants.map((row) => [
        row['population_allele_frequency'],
        row['minimum_allele_frequency'],
        row['maximum_allele_frequency'],
        row['clinvar_allele_id'],
        row['clinical_disease'],
        row['clinical_review'],
        row['clinical_significance'],
        row['clinical_submission'],
        row['cosmic_id'],
      ]),
      [
        [
          0.02,
          0.01,
          0.6,
          '29000',
          'Noonan syndrome, type 1|not provided',
          'criteria_provided,_single_submitter',
          'Pathogenic',
          // The id of the record is not ClinVar's.
          null,
          'COSM476',
        ],
      ],
    );
  });

  test('refGene goes before other tables, which are read without it', async () => {
    const ens = (table: string) =>
      block(
        { Func: 'exonic', Gene: 'ENSG1', ExonicFunc: 'stopgain', AAChange: 'ENSG1:ENST1:exon1:c.C7T:p.R3X' },
        '',
        table,
      );
    for (const table of ['refGeneWithVer', 'ensGene', 'ensGene41', 'knownGene', 'wgEncodeGencodeBasicV43'])
      assert.deepEqual(await rowsOf('A T', ens(table)), ['T stop_gained HIGH ENSG1 ENST1 p.Arg3Ter'], table);
    const both = `${block(braf).replace('ALLELE_END', '')}${ens('ensGene').replace('ANNOVAR_DATE=2020-06-08;', '')}`;
    assert.deepEqual(await rowsOf('A T', both), ['T missense_variant MODERATE BRAF NM_004333 p.Val600Glu']);
  });

  test('an unknown table is not read, with a warning', async () => {
    const { variants, warnings } = await convertText(vcf(['7 5 . A T . . Func.mine=exonic;Gene.mine=G']));
    assert.deepEqual(pick(variants, 'gene'), ['-']);
    assert.match(warnings[0]?.message ?? '', /^The annotations of ANNOVAR \(INFO Gene\.mine\) are not read/);
  });
});
