import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, type Row, vcf } from './conversion.fixture.ts';

const float = (id: string, number: string): string =>
  `##INFO=<ID=${id},Number=${number},Type=Float,Description="x">`;
const rowsOf = async (record: string, ...meta: string[]): Promise<Row[]> =>
  (await convertText(vcf([record], { meta }))).variants;
const frequencies = (rows: Row[]): string[] =>
  pick(
    rows,
    'alternate',
    'minimum_allele_frequency',
    'maximum_allele_frequency',
    'population_allele_frequency',
  ).toSorted();

describe('INFO', () => {
  test('a key is found first, last and between, never inside another key or a flag', async () => {
    const meta = [float('AF_TGP', '1'), float('AF_ESP', '1'), float('AF', 'A')];
    for (const info of [
      'AF_TGP=0.5;AF=0.1;XAF_TGP=0.9',
      'DB;AF=0.1;AF_TGP=0.5',
      'AF_TGPX=0.7;AF_TGP=0.5;AF_ESP',
      'H2;AF_TGP=0.5;DB',
    ]) {
      assert.deepEqual(frequencies(await rowsOf(`1 5 . A C . . ${info}`, ...meta)), ['C 0.5 0.5 0.5'], info);
    }
  });

  test('keys are found in whatever order they stand, record by record, the first of those that repeat', async () => {
    const meta = ['AF', 'AF_ESP', 'AF_TGP', 'A'].map((id) => float(id, '1'));
    const orders = [
      'AF=0.9;AF_ESP=0.1;AF_TGP=0.2;DP=3;A=0.8',
      'AF_TGP=0.2;AF_ESP=0.1;AF;A',
      'AF_TGP=0.2;AF_ESP=0.1;AF;A',
      'XX=1;AF_ESP=0.1;AF_TGP=0.2;AF_ESP=0.7',
      'AF_ESP=0.1;AF_TGP=0.2',
      'AF_TGP=0.2;NEW=3;AF_ESP=0.1',
      'AF_TGPX=0.6;AF_TGP=0.2;AF_ES=0.6;AF_ESP=0.1',
    ];
    const records = orders.flatMap((info, index) => [
      `1 ${index * 10 + 5} . A C . . ${info}`,
      `1 ${index * 10 + 6} . A C . . ${orders[0]}`,
    ]);
    const { variants } = await convertText(vcf(records, { meta }));
    assert.deepEqual(new Set(frequencies(variants)), new Set(['C 0.1 0.2 0.2']));
    assert.equal(variants.length, orders.length * 2);
  });

  test("a caller's own AF is no population frequency", async () => {
    assert.deepEqual(frequencies(await rowsOf('1 5 . A C . . AF=0.5', float('AF', 'A'))), ['C - - -']);
  });

  test('each alternate has its own frequency', async () => {
    const meta = [
      float('gnomADg_AF', 'A'),
      float('gnomADe_AF', 'R'),
      float('TOPMED', '.'),
      float('CAF', '.'),
    ];
    const rows = await rowsOf(
      '1 5 . A C,G . . gnomADg_AF=0.1,0.2;gnomADe_AF=0.6,0.3,0.05;TOPMED=0.9,.,0.01',
      ...meta,
    );
    assert.deepEqual(frequencies(rows), ['C 0.1 0.3 0.1', 'G 0.01 0.2 0.2']);
    assert.deepEqual(frequencies(await rowsOf('1 5 . A C . . CAF=[0.9,0.1]', ...meta)), ['C 0.1 0.1 0.1']);
  });

  test('a list of frequencies of another length is left out with a warning', async () => {
    const meta = [float('AF_TGP', 'A'), float('EUR_AF', 'R'), float('CAF', '.')];
    const records = [
      '1 5 . A C . . AF_TGP=0.1,0.3',
      '1 6 . A C . . AF_TGP=0,01',
      '1 7 . A C,G . . AF_TGP=0.5',
      '1 8 . A C . . EUR_AF=0.1,0.2,0.3',
      '1 9 . A C,G . . CAF=0.9,0.1',
      '1 10 . A C . . AFR_AF=0,05',
    ];
    const { variants, warnings } = await convertText(vcf(records, { meta }));
    assert.deepEqual([...new Set(frequencies(variants))], ['C - - -', 'G - - -']);
    assert.match(warnings.map(({ message }) => message).join(), /annotations of 8 alternates were left out/);
  });

  test('the global frequency is that of the most trusted source', async () => {
    const meta = ['AF_ESP', 'AF_EXAC', 'AF_TGP', 'gnomADe_AF', 'gnomADg_AF', 'EUR_AF'].map((id) =>
      float(id, 'A'),
    );
    const info = ['AF_ESP=0.1', 'AF_EXAC=0.2', 'AF_TGP=0.3', 'gnomADe_AF=0.4', 'gnomADg_AF=0.5'];
    for (const [index] of info.entries()) {
      const rows = await rowsOf(`1 5 . A C . . EUR_AF=0.9;${info.slice(0, index + 1).join(';')}`, ...meta);
      assert.deepEqual(frequencies(rows), [`C 0.1 0.9 0.${index + 1}`]);
    }
  });

  test('a value that is no number from 0 to 1 is no frequency', async () => {
    const meta = ['AF_TGP', 'EUR_AF', 'AFR_AF', 'AF_ESP'].map((id) => float(id, 'A'));
    const rows = await rowsOf('1 5 . A C . . AF_TGP=.;EUR_AF=nan;AFR_AF=17;AF_ESP=1e-3', ...meta);
    assert.deepEqual(frequencies(rows), ['C 0.001 0.001 0.001']);
    const signed = await rowsOf('1 5 . A C . . AF_TGP=+0.1;EUR_AF=++0.5;AFR_AF=+;AF_ESP=+2E-1', ...meta);
    assert.deepEqual(frequencies(signed), ['C 0.1 0.2 0.1']);
  });

  test('keys that the header does not declare are found all the same', async () => {
    const rows = await rowsOf(
      '1 5 99 A C . . ALLELEID=7;CLNSIG=Pathogenic;CLNDN=Some_disease|not_provided;RS=12',
    );
    assert.deepEqual(
      pick(
        rows,
        'clinvar_allele_id',
        'clinical_significance',
        'clinical_disease',
        'rs_id',
        'clinical_submission',
      ),
      ['7 Pathogenic Some disease|not provided rs12 99'],
    );
  });

  test("ClinVar's old numbers are its words of today, for each alternate", async () => {
    const significance = async (record: string): Promise<string[]> =>
      pick(await rowsOf(record), 'alternate', 'clinical_significance');
    assert.deepEqual(await significance('1 5 . A C . . CLNSIG=5|4|5'), ['C Likely_pathogenic|Pathogenic']);
    assert.deepEqual(await significance('1 5 . A C,G . . CLNSIG=2,255').then((rows) => rows.toSorted()), [
      'C Benign',
      'G other',
    ]);
    assert.deepEqual(await significance('1 5 . A C . . CLNSIG=.'), ['C -']);
  });

  test('values of ClinVar until 2017 belong to the alleles that they name', async () => {
    const said = async (info: string): Promise<string[]> => {
      const rows = await rowsOf(`1 5 . A C,G . . ${info}`);
      const columns = ['alternate', 'clinical_significance', 'clinical_disease', 'clinical_review'] as const;
      return pick(rows, ...columns).toSorted();
    };
    assert.deepEqual(await said('CLNALLE=2;CLNSIG=5;CLNDBN=d;CLNREVSTAT=single'), [
      'C - - -',
      'G Pathogenic d single',
    ]);
    assert.deepEqual(await said('CLNALLE=0;CLNSIG=5;CLNDBN=d;CLNREVSTAT=single'), ['C - - -', 'G - - -']);
    assert.deepEqual(await said('CLNALLE=2,1;CLNSIG=5|4,2;CLNDBN=d|e,.;CLNREVSTAT=single,multi'), [
      'C Benign - multi',
      'G Likely_pathogenic|Pathogenic d|e single',
    ]);
  });

  test('an alternate has its own of several clinical values (Number=A, R)', async () => {
    const string = (id: string, number: string): string =>
      `##INFO=<ID=${id},Number=${number},Type=String,Description="x">`;
    const said = async (info: string, number: string, ...columns: string[]): Promise<string[]> => {
      const meta = info.split(';').map((entry) => string(entry.split('=')[0] ?? '', number));
      return pick(await rowsOf(`1 5 99 A C,G . . ${info}`, ...meta), 'alternate', ...columns).toSorted();
    };
    // bcftools norm -m- F | bcftools query -f '%ALT %INFO/CLNSIG %INFO/ALLELEID\n'
    assert.deepEqual(
      await said('CLNSIG=Pathogenic,Benign;ALLELEID=1,2', 'A', 'clinical_significance', 'clinvar_allele_id'),
      ['C Pathogenic 1', 'G Benign 2'],
    );
    assert.deepEqual(
      await said('CLNDN=ref,a_b,c;CLNREVSTAT=ref,x,.', 'R', 'clinical_disease', 'clinical_review'),
      ['C a b x', 'G c -'],
    );
    assert.deepEqual(await said('CLNSIG=Pathogenic,.', 'A', 'clinical_significance'), [
      'C Pathogenic',
      'G -',
    ]);
    assert.deepEqual(await said('RS=11,22', 'A', 'rs_id'), ['C rs11', 'G rs22']);
    assert.deepEqual(await said('RS=11,22', '.', 'rs_id'), ['C -', 'G -']);
    assert.deepEqual(await said('COSMIC_ID=.,COSV2;CNT=3,4', 'A', 'cosmic_id', 'cosmic_sample_count'), [
      'C - -',
      'G COSV2 4',
    ]);
    // The id of a record of ClinVar applies to all its alternates.
    const submitted = ['clinvar_allele_id', 'clinical_submission'];
    assert.deepEqual(await said('ALLELEID=7,.', 'A', 'clinical_submission'), ['C 99', 'G 99']);
    assert.deepEqual(await said('ALLELEID=7,.;CLNSIG=Benign,Benign', 'A', ...submitted), [
      'C 7 99',
      'G - 99',
    ]);
    assert.deepEqual(await said('ALLELEID=.', 'A', ...submitted), ['C - -', 'G - -']);
    // A list of another length has no values for single alleles.
    assert.deepEqual(await said('CLNREVSTAT=a,b,c', 'A', 'clinical_review'), ['C -', 'G -']);
  });

  test('a clinical value without a Number by allele is left out where there are several alternates', async () => {
    const records = [
      '1 5 . A C,G . . CLNSIG=Pathogenic;COSMIC_ID=COSV1;RS=11',
      '1 6 . A C . . CLNSIG=Pathogenic,_low_penetrance;COSMIC_ID=COSV1',
      '1 7 . A C,G . . CLNSIG=.',
      '1 8 . A C,G . . CLNREVSTAT=criteria_provided,_single_submitter',
    ];
    const { variants, warnings } = await convertText(vcf(records));
    assert.deepEqual(pick(variants, 'position', 'clinical_significance', 'cosmic_id', 'rs_id'), [
      ...['5 - - rs11', '5 - - rs11'],
      '6 Pathogenic,_low_penetrance COSV1 -',
      ...['7 - - -', '7 - - -', '8 - - -', '8 - - -'],
    ]);
    assert.match(warnings.map(({ message }) => message).join(), /annotations of 4 alternates were left out/);
  });

  test('percent codes are decoded, other percent signs stay', async () => {
    const rows = await rowsOf('1 5 . A C . . CLNDN=a%3Bb%2Cc_%25;CLNREVSTAT=50%_of%FF');
    assert.deepEqual(pick(rows, 'clinical_disease', 'clinical_review'), ['a;b,c % 50%_of%FF']);
  });

  test('identifiers are read from ID first', async () => {
    const idsOf = async (id: string, info = '.'): Promise<string[]> =>
      pick(await rowsOf(`1 5 ${id} A C . . ${info}`), 'rs_id', 'cosmic_id');
    assert.deepEqual(await idsOf('rs5'), ['rs5 -']);
    assert.deepEqual(await idsOf('COSV77;rs5', 'RS=9'), ['rs5 COSV77']);
    assert.deepEqual(await idsOf('1_5_A/C', 'RS=9,10'), ['rs9 -']);
    assert.deepEqual(await idsOf('.', 'COSMIC=COSM12'), ['- COSM12']);
    assert.deepEqual(await idsOf('chrs1'), ['- -']);
  });

  // Reports: bcftools 1894, exac_browser 296, vcfanno 68.
  test('several rs numbers of several alternates are of none of them, unless the annotation names its own', async () => {
    const idsOf = async (id: string, info = '.', ...meta: string[]): Promise<string[]> =>
      pick(await rowsOf(`1 5 ${id} A C,G . . ${info}`, ...meta), 'alternate', 'rs_id').toSorted();
    const csq = '##INFO=<ID=CSQ,Number=.,Type=String,Description="Format: Allele|Existing_variation">';
    assert.deepEqual(await idsOf('rs1;rs2'), ['C -', 'G -']);
    assert.deepEqual(await idsOf('rs1,rs2'), ['C -', 'G -']);
    assert.deepEqual(await idsOf('rs7;COSV9'), ['C rs7', 'G rs7']);
    assert.deepEqual(await idsOf('rs1;rs2', 'RS=5'), ['C rs5', 'G rs5']);
    assert.deepEqual(await idsOf('.', 'RS=1,2,3'), ['C -', 'G -']);
    assert.deepEqual(await idsOf('.', 'RS=1,2', '##INFO=<ID=RS,Number=A,Type=Integer,Description="">'), [
      'C rs1',
      'G rs2',
    ]);
    assert.deepEqual(await idsOf('rs1;rs2', 'CSQ=G|rs2,C|rs1', csq), ['C rs1', 'G rs2']);
    const { warnings } = await convertText(vcf(['1 5 rs1;rs2 A C,G . . .']));
    assert.match(warnings.map(({ message }) => message).join(), /annotations of 2 alternates were left out/);
  });

  // Report: echtvar 20.
  test('lists of dbSNP that a splitter left whole are of no alternate', async () => {
    const records = [
      '1 5 . A C . . FREQ=1000Genomes:0.97,0.01,0.02|KOREAN:0.9,0.1,0',
      '1 6 . A C . . CAF=0.97,0.01,0.02',
      '1 7 . A C . . FREQ=1000Genomes:0.97,0.03|KOREAN:0.9,.,0.1',
    ];
    const { variants, warnings } = await convertText(vcf(records));
    assert.deepEqual(frequencies(variants), ['C - - -', 'C - - -', 'C 0.03 0.03 0.03']);
    assert.match(warnings.map(({ message }) => message).join(), /annotations of 3 alternates were left out/);
  });

  // Reports: ensembl-vep 620, vcfanno 114, bcbio-nextgen 2635.
  test('a frequency that is no number is left out and counted, one that stands for none is not', async () => {
    const texts = ['5%', '0.1|0.2', '0.1&0.2', '1.2', '-1.0', 'NA', '.', 'nan'];
    const records = texts.map((text, at) => `1 ${at + 1} . A C . . gnomAD_AF=${text}`);
    const { variants, warnings } = await convertText(vcf(records));
    assert.deepEqual([...new Set(frequencies(variants))], ['C - - -']);
    assert.match(warnings.map(({ message }) => message).join(), /annotations of 4 alternates were left out/);
  });

  test("a count is COSMIC's only beside an id of COSMIC", async () => {
    assert.deepEqual(
      pick(await rowsOf('1 5 COSV1 A C . . CNT=3;PRIMARY_SITE=lung'), 'cosmic_sample_count', 'tumor_site'),
      ['3 lung'],
    );
    assert.deepEqual(pick(await rowsOf('1 5 . A C . . CNT=3'), 'cosmic_sample_count'), ['-']);
  });
});
