/** Annotated VCF files of public bug reports: each alternate has its own annotations, or none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Conversion, convertText, pick, vcf } from './conversion.fixture.ts';

const warned = ({ warnings }: Conversion): string => warnings.map(({ message }) => message).join();
const snpEff =
  '##INFO=<ID=ANN,Number=.,Type=String,Description="Functional annotations: \'Allele | Annotation | Annotation_Impact | Gene_Name | Gene_ID | Feature_Type | Feature_ID | Transcript_BioType | Rank | HGVS.c | HGVS.p\'">';
const vep =
  '##INFO=<ID=CSQ,Number=.,Type=String,Description="Format: Allele|Consequence|IMPACT|SYMBOL|Gene|Feature|HGVSp|Existing_variation|CLIN_SIG|gnomADg_AF|MAX_AF">';

/** Builds an entry of SnpEff with this gene and allele. */
const ann = (allele: string, gene: string, effect = 'missense_variant'): string =>
  `${allele}|${effect}|MODERATE|${gene}|E|transcript|T.1|protein_coding|1/2|c.5A>G|p.Ala2Val`;

test('entries of SnpEff are of the alternates that they name, however it shortens them', async () => {
  const cases: [report: string, alleles: string, annotations: string[], expected: string[]][] = [
    ['SnpEff 197', 'ACACG ACAC,ACACGAA', [ann('ACAC', 'A'), ann('ACACGAA', 'B')], ['C A', 'GAA B']],
    ['SnpEff 216', 'T A,G', [ann('A', 'A'), ann('G', 'B'), ann('A', 'C')], ['A A', 'A C', 'G B']],
    ['SnpEff 156', 'T C,G', [ann('G-C', 'A')], ['C -', 'G -', 'warned']],
    ['SnpEff 156', 'T G', [ann('G-chr1:123456_A>T', 'A')], ['G A']],
    ['SnpEff 489', 'AC ACACCC,ACACCCACACCC', [ann('ACCC', 'A')], ['ACACC A', 'ACACCCACACC -', 'warned']],
    ['NGS_DNA 258', 'T G', [ann('A', 'A'), ann('G', 'B')], ['G B']],
    [
      'SnpEff 255',
      'T G',
      [ann('G', 'A', 'upstream_gene_variant'), ann('G', 'CHR_START-A', 'intergenic_region')],
      ['G A'],
    ],
    ['MIP 112', 'T G', [ann('G', 'RP5-1166F10.1-RP1-37J18.1', 'intergenic_region')], ['G -']],
    ['gene with a hyphen', 'T G', [ann('G', 'EXOC3-AS1')], ['G EXOC3-AS1']],
  ];
  for (const [report, alleles, annotations, expected] of cases) {
    const [reference = '', alternates = ''] = alleles.split(' ');
    const record = `1 5 . ${reference} ${alternates} . . ANN=${annotations.join()}`;
    const conversion = await convertText(vcf([record], { meta: [snpEff] }));
    const found = pick(conversion.variants, 'alternate', 'gene');
    assert.deepEqual([...found, ...(warned(conversion) ? ['warned'] : [])], expected, report);
  }
});

test('several effects of an entry have the gravest that has a group', async () => {
  const effect = 'splice_donor_variant&splice_region_variant&intron_variant';
  const { variants } = await convertText(
    vcf([`1 5 . T G . . ANN=${ann('G', 'A', effect)}`], { meta: [snpEff] }),
  );
  assert.deepEqual(pick(variants, 'ebcanon_class'), ['splice_donor_variant']); // SnpEff 384
});

test('facts of VEP are decoded, and values that contradict each other are left out', async () => {
  const cases: [report: string, fields: string, expected: string][] = [
    ['ensembl-vep 199, 1652', 'NP_1.1:p.Phe39%3D|||0.1|', 'p.Phe39= - - 0.1 0.1'],
    ['exac_browser 83, gnomad-browser 225', 'E1.2:c.861A>G(p.%3D)|||0.1|', 'p.= - - 0.1 0.1'],
    ['exac_browser 83', 'E1.2:c.861A>G(p.=)||||', 'p.= - - - -'],
    ['ensembl-vep 576', '|rs71507461||8.07859e-01&0.8079|', '- rs71507461 - - -'],
    ['ensembl-vep 620', '|rs186758134||0.0010615&0.01|0.016', '- rs186758134 - - 0.016'],
    ['ensembl-vep 71', '|rs1&rs1||0.25&0.25|', '- rs1 - 0.25 0.25'],
    ['vep-plagnollab 17', '|rs13346240&rs112313064&COSM3766452|||', '- rs13346240 - - -'],
    [
      'scout 2114',
      '||conflicting_interpretations_of_pathogenicity&other||',
      '- - conflicting_interpretations_of_pathogenicity&other - -',
    ],
  ];
  for (const [report, fields, expected] of cases) {
    const record = `1 5 . T G . . CSQ=G|missense_variant|MODERATE|A|E|F|${fields}`;
    const { variants } = await convertText(vcf([record], { meta: [vep] }));
    const columns = [
      'amino_acid_change',
      'rs_id',
      'clinical_significance',
      'population_allele_frequency',
      'maximum_allele_frequency',
    ];
    assert.deepEqual(pick(variants, ...columns), [expected], report);
  }
});

test('values of ClinVar with commas of their own are one value', async () => {
  const said = async (info: string): Promise<string[]> =>
    pick(
      (await convertText(vcf([`1 5 9 T G . . ALLELEID=1;${info}`]))).variants,
      'clinical_significance',
      'clinical_disease',
    );
  // scout 5048 and 5062, CMAT 331, scout 5017.
  assert.deepEqual(
    await said(
      'CLNSIG=Pathogenic/Likely_pathogenic/Pathogenic,_low_penetrance|other;CLNDN=Lynch_syndrome,_type_1',
    ),
    ['Pathogenic/Likely_pathogenic/Pathogenic,_low_penetrance|other Lynch syndrome, type 1'],
  );
  assert.deepEqual(
    await said('CLNSIGCONF=Pathogenic(1)|Benign(2);CLNSIG=Conflicting_classifications_of_pathogenicity'),
    ['Conflicting_classifications_of_pathogenicity -'],
  );
});
