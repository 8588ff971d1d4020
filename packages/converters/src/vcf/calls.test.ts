import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { convertText, pick, type Row, vcf } from './conversion.fixture.ts';

const numbers = ['depth', 'genotype_quality', 'reference_depth', 'alternate_depth', 'allele_fraction'];

/** Numbers of the calls of a record `chr1 10 . A <alternate>` with these samples. */
async function called(
  format: string,
  samples: Record<string, string>,
  { alternate = 'C', reference = 'A', info = '.', meta = [] as string[] } = {},
): Promise<string[]> {
  const record = `chr1 10 . ${reference} ${alternate} 50 PASS ${info} ${format} ${Object.values(samples).join(' ')}`;
  const text = vcf([record], { meta, samples: Object.keys(samples) });
  return pick((await convertText(text)).calls, 'sample_id', ...numbers);
}

const pair = (normal: string, tumor: string) => ({ NORMAL: normal, TUMOR: tumor });

describe('calls of a VCF', () => {
  test('each row of variant has one of variant_call with the same id, sample and place', async () => {
    const text = vcf(
      ['chr1 20 . A C,G 7.5 q10;s50 . GT:DP 1/2:9 0/1:8', 'chr1 10 . G T . PASS . GT:DP 0/0:9 1|1:4'],
      {
        samples: ['a', 'b'],
      },
    );
    const { variants, calls } = await convertText(text);
    const key = ['variant_id', 'variant_set_id', 'sample_id', 'chromosome', 'position'];
    assert.deepEqual(pick(calls, ...key), pick(variants, ...key));
    assert.deepEqual(pick(calls, 'position', 'sample_id', 'filter', 'quality', 'depth'), [
      '10 b PASS - 4',
      '20 a q10;s50 7.5 9',
      '20 b q10;s50 7.5 8',
      '20 a q10;s50 7.5 9',
    ]);
  });

  test('germline callers give depths, quality and fraction by their own fields', async () => {
    const one = (value: string) => ({ a: value });
    const cases: [name: string, format: string, value: string, expected: string][] = [
      ['GATK', 'GT:AD:DP:GQ:PL', '0/1:12,8:21:99:1,2,3', '21 99 12 8 0.4'],
      ['DeepVariant', 'GT:GQ:DP:AD:VAF:PL', '0/1:34:30:14,15:0.5:1,2,3', '30 34 14 15 0.5'],
      ['FreeBayes', 'GT:DP:AD:RO:QR:AO:QA', '0/1:20:11,9:11:400:9:333', '20 - 11 9 0.45'],
      ['FreeBayes before 1.1', 'GT:GQ:DP:RO:QR:AO:QA', '0/1:80.5:20:11:400:9:333', '20 80.5 11 9 0.45'],
      ['Strelka germline, indel', 'GT:GQ:GQX:DPI:AD', '0/1:40:9:30:10,10', '30 40 10 10 0.5'],
      ['DRAGEN', 'GT:AD:AF:DP:GQ', '0/1:10,9:0.474:19:48', '19 48 10 9 0.474'],
      ['Platypus', 'GT:GQ:NR:NV', '0/1:99:40:10', '40 99 - 10 0.25'],
      ['svtyper', 'GT:SU:DP:RO:AO', '0/1:5:12:8:4', '12 - 8 4 0.3333333333333333'],
    ];
    for (const [name, format, value, expected] of cases)
      assert.deepEqual(await called(format, one(value)), [`a ${expected}`], name);
  });

  test('somatic callers give those of the tumor by their own fields', async () => {
    const somatic = { info: 'SOMATIC' };
    assert.deepEqual(
      await called('DP:AU:CU:GU:TU', pair('9:9,9:0,0:0,0:0,0', '30:18,19:6,7:1,1:0,0'), somatic),
      ['TUMOR 30 - 18 6 0.25'],
      'Strelka, SNV',
    );
    assert.deepEqual(
      await called('DP:TAR:TIR', pair('9:9,9:0,0', '20:15,15:5,6'), { ...somatic, alternate: 'AT' }),
      ['TUMOR 20 - 15 5 0.25'],
      'Strelka, indel',
    );
    assert.deepEqual(
      await called('GT:AD:AF:DP', { n: '0/0:30,0:0.02:30', t: '0/1:40,10:0.195:50' }),
      ['t 50 - 40 10 0.195'],
      'Mutect2',
    );
    assert.deepEqual(
      await called('GT:GQ:DP:RD:AD:FREQ', { n: '0/0:.:9:9:0:0%', t: '0/1:.:36:24:12:33.33%' }),
      ['t 36 - 24 12 0.3333'],
      'VarScan',
    );
    assert.deepEqual(await called('GT:AD:BQ:DP:FA', { n: '0:30,0:.:30:0', t: '0/1:6,4:30:10:0.4' }), [
      't 10 - 6 4 0.4',
    ]);
  });

  test('one value under AD is of the alternate, unless the header declares one for each allele', async () => {
    const of = async (description: string) => {
      const meta = [`##FORMAT=<ID=AD,Number=.,Type=Integer,Description="${description}">`];
      const { calls } = await convertText(vcf(['1 10 . A C . . . GT:AD 0/1:7'], { meta, samples: ['a'] }));
      return pick(calls, 'reference_depth', 'alternate_depth');
    };
    assert.deepEqual(await of('Depth of variant-supporting bases (reads2)'), ['- 7']);
    for (const each of ['Allelic depths for the ref and alt alleles', 'Read depth for each allele'])
      assert.deepEqual(await of(each), ['- -'], each);
  });

  test('each of several alternates has its own numbers', async () => {
    assert.deepEqual(await called('GT:AD:AF:DP', { a: '1/2:2,6,8:0.375,0.5:16' }, { alternate: 'C,G' }), [
      'a 16 - 2 6 0.375',
      'a 16 - 2 8 0.5',
    ]);
    assert.deepEqual(
      await called('GT:RO:AO', { a: '1/2:2,6,8:0' }, { alternate: 'C,G' }),
      ['a - - - - -', 'a - - - - -'],
      'lists of another length are of nobody',
    );
  });

  test('INFO counts for the only sample, and for a file without samples; never for several', async () => {
    const info = 'DP=40;DP4=10,20,4,6;AF=0.5';
    assert.deepEqual(await called('GT', { a: '0/1' }, { info }), ['a 40 - 30 10 0.25']);
    assert.deepEqual(await called('GT', { a: '0/1', b: '0/0' }, { info }), ['a - - - - -']);
    const { calls } = await convertText(vcf([`1 10 . A C 9 . ${info}`]));
    assert.deepEqual(pick(calls, 'quality', ...numbers), ['9 40 - 30 10 0.25']);
  });

  test('INFO that counts the alleles or samples of several people is of no call', async () => {
    for (const witness of ['AN=4', 'AN=251496', 'NS=2', 'AN=2;NS=2504']) {
      const info = `DP=1305225;DP4=10,20,4,6;${witness}`;
      assert.deepEqual(await called('GT', { a: '0/1' }, { info }), ['a - - - - -'], witness);
      const { calls } = await convertText(vcf([`1 10 . A C 9 . ${info}`]));
      assert.deepEqual(pick(calls, 'quality', ...numbers), ['9 - - - - -'], witness);
    }
    for (const witness of ['AN=2', 'AN=1;NS=1', 'AN=.'])
      assert.deepEqual(await called('GT', { a: '0/1' }, { info: `DP=40;${witness}` }), ['a 40 - - - -']);
  });

  test('several values where one is meant are NULL', async () => {
    const meta = ['##FORMAT=<ID=COV,Number=1,Type=Integer,Description="Read depth of the sample">'];
    const value = fc.oneof(fc.nat(99).map(String), fc.constant('.'));
    const record = fc.record({
      alternates: fc.integer({ min: 1, max: 3 }),
      key: fc.constantFrom('DP', 'DPI', 'COV', 'GQ', 'NR'),
      values: fc.array(value, { minLength: 1, maxLength: 4 }),
    });
    const records = fc.sample(record, { numRuns: 300, seed: 7 });
    const lines = records.map(
      ({ alternates, key, values }, index) =>
        `1 ${index + 1} . A ${['C', 'G', 'T'].slice(0, alternates).join(',')} . . . GT:${key} 0/${alternates}:${values}`,
    );
    const { calls } = await convertText(vcf(lines, { meta, samples: ['a'] }));
    const expected = records.map(({ alternates, key, values }, index) => {
      const isOfEach = key === 'NR';
      const own = values.length === (isOfEach ? alternates : 1) ? values[isOfEach ? alternates - 1 : 0] : '.';
      const number = own === '.' ? '-' : own;
      return `${index + 1} ${key === 'GQ' ? '-' : number} ${key === 'GQ' ? number : '-'}`;
    });
    assert.deepEqual(pick(calls, 'position', 'depth', 'genotype_quality'), expected);
  });

  test('missing, negative and unreadable values are NULL', async () => {
    const values = ['0/1', '0/1:.:.:.:.', '0/1:x:1,y:-1:1e400', '0/1:3.5:-1,2:nan:.'];
    for (const value of values)
      assert.match((await called('GT:DP:AD:GQ:AF', { a: value }))[0] ?? '', /^a - - [-1] [-2] -$/, value);
    const text = vcf([
      '1 10 . A C inf . .',
      '1 11 . A C 1.37e-14 . .',
      '1 12 . A C -3 . .',
      '1 13 . A C -0 . .',
    ]);
    assert.deepEqual(pick((await convertText(text)).calls, 'quality'), ['-', '1.37e-14', '-', '0']);
  });

  test('the phase set is PS, else the id of GATK', async () => {
    const of = async (format: string, value: string) =>
      pick(
        (await convertText(vcf([`1 10 . A C . . . ${format} ${value}`], { samples: ['a'] }))).calls,
        'phase_set',
      );
    assert.deepEqual(await of('GT:PS', '0|1:10'), ['10']);
    assert.deepEqual(await of('GT:PGT:PID', '0/1:0|1:10_A_C'), ['10_A_C']);
    assert.deepEqual(await of('GT:PS', '0/1:.'), ['-']);
    assert.deepEqual(await of('GT:PS', '0/1'), ['-']);
  });

  test('all consequences of the allele are a JSON list, those of the row its changes in HGVS', async () => {
    const format = 'Format: Allele|Consequence|IMPACT|SYMBOL|Gene|Feature|BIOTYPE|HGVSc|HGVSp';
    const meta = [`##INFO=<ID=CSQ,Number=.,Type=String,Description="${format}">`];
    const annotations = [
      'C|missense_variant|MODERATE|ONE|E1|T1|protein_coding|T1:c.5A>C|P1:p.Lys2Thr',
      'C|synonymous_variant&NMD_transcript_variant|LOW|TWO|E2|T2||T2:c.6A>C|P2:p.Lys2%3D',
      'G|stop_gained|HIGH|ONE|E1|T1|protein_coding||',
      'C|regulatory_region_variant|MODIFIER|||R"1|||',
    ];
    const record = `1 10 . A C,G . . CSQ=${annotations.join(',')} GT:DP 0/1:7`;
    const { calls, variants } = await convertText(vcf([record], { meta, samples: ['a'] }));
    assert.deepEqual(pick(variants, 'gene', 'amino_acid_change'), ['ONE p.Lys2Thr', 'TWO p.Lys2=']);
    assert.deepEqual(pick(calls, 'hgvs_c', 'hgvs_p', 'depth'), [
      'T1:c.5A>C P1:p.Lys2Thr 7',
      'T2:c.6A>C P2:p.Lys2= 7',
    ]);
    const lists = calls.map(({ consequences }) => JSON.parse(String(consequences)));
    assert.deepEqual(lists[0], lists[1]);
    assert.deepEqual(lists[0], [
      {
        effect: 'missense_variant',
        impact: 'MODERATE',
        gene: 'ONE',
        transcript_id: 'T1',
        hgvs_c: 'T1:c.5A>C',
        hgvs_p: 'P1:p.Lys2Thr',
      },
      {
        effect: 'synonymous_variant&NMD_transcript_variant',
        impact: 'LOW',
        gene: 'TWO',
        transcript_id: 'T2',
        hgvs_c: 'T2:c.6A>C',
        hgvs_p: 'P2:p.Lys2=',
      },
      { effect: 'regulatory_region_variant', impact: 'MODIFIER', transcript_id: 'R"1' },
    ]);
  });

  test('SnpEff writes its changes without names, before 4.0 both in one field', async () => {
    const changes = async (info: string): Promise<Row[]> =>
      (await convertText(vcf([`1 10 . A C . . ${info}`]))).calls;
    const ann = 'ANN=C|missense_variant|MODERATE|G|E|transcript|T.1|protein_coding|2/3|c.5A>C|p.Lys2Thr|||||';
    assert.deepEqual(pick(await changes(ann), 'hgvs_c', 'hgvs_p'), ['c.5A>C p.Lys2Thr']);
    const eff =
      'EFF=NON_SYNONYMOUS_CODING(MODERATE|MISSENSE|aAg/aCg|p.Lys2Thr/c.5A>C|90|G|protein_coding|CODING|T|2|1)';
    assert.deepEqual(pick(await changes(eff), 'hgvs_c', 'hgvs_p'), ['c.5A>C p.Lys2Thr']);
    assert.deepEqual(pick(await changes('.'), 'hgvs_c', 'consequences'), ['- -']);
  });

  test('variantCalls false leaves the table out and changes no row of variant', async () => {
    const text = vcf(['1 10 . A C 5 . . GT:DP 0/1:7'], { samples: ['a'] });
    const [all, less] = [await convertText(text), await convertText(text, { variantCalls: false })];
    assert.deepEqual(less.variants, all.variants);
    assert.deepEqual(
      less.tables.map(({ table }) => table),
      ['variant', 'sequence'],
    );
    assert.deepEqual(
      all.tables.map(({ table }) => table),
      ['variant', 'variant_call', 'sequence'],
    );
  });
});
