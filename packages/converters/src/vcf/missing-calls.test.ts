/** Records that are missing or filtered in one sample, changes of proteins, and names of no sample. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const define = (kind: 'INFO' | 'FORMAT', id: string, number: string, type: string, text: string): string =>
  `##${kind}=<ID=${id},Number=${number},Type=${type},Description="${text}">`;

describe('the records of a file', () => {
  test('each record has rows or is left out, with its reason', async () => {
    const { account, variants, warnings } = await convertText(
      vcf(
        [
          'chr1 100 . A G 50 PASS . GT 0/1',
          'chr1 200 . A G 50 PASS . GT 0/0',
          'chr1 300 . A G 50 PASS . GT ./.',
          'chr1 400 . A G 50 q10 . GT 0/1',
          'chr1 x . A G 50 PASS . GT 0/1',
        ],
        { samples: ['S'] },
      ),
      { passOnly: true, onError: 'skip' },
    );
    assert.equal(variants.length, 1);
    assert.equal(account?.records, 5);
    assert.equal(
      account.leftOut.reduce((sum, { count }) => sum + count, 0),
      4,
    );
    assert.deepEqual(
      account.leftOut.map(({ count }) => count),
      [1, 1, 1, 1],
    );
    assert.equal(warnings.length, 1);
  });

  test('a key that a record repeats counts once', async () => {
    const { account } = await convertText(
      vcf(['chr1 100 . A G 50 PASS ZZ=1;ZZ=2;ZZ=3 GT:DP:DP 0/1:3:4'], { samples: ['S'] }),
    );
    const counted = [...(account?.read ?? []), ...(account?.unread ?? [])];
    assert.deepEqual([...new Set(counted.map(({ count }) => count))], [1]);
  });

  test('without a genotype are calls where they passed and reads are counted', async () => {
    const meta = [
      define('FORMAT', 'DV', '1', 'Integer', 'Number of variant reads'),
      define('INFO', 'RE', '1', 'Integer', 'Number of reads that support this record'),
    ];
    const records = [
      'chr1 100 . A ATTTTTTTT . PASS . GT:DV ./.:9',
      'chr1 200 . A ATTTTTTTT . q5 . GT:DV ./.:9',
      'chr1 300 . A ATTTTTTTT . PASS . GT:DV ./.:0',
      'chr1 1000 . N <DUP> . PASS SVTYPE=DUP;END=2000;RE=12 GT:DV ./.:.',
      'chr1 3000 . N <DUP> . PASS SVTYPE=DUP;END=4000 GT:DV ./.:.',
    ];
    const { variants, copies, warnings, account } = await convertText(vcf(records, { meta, samples: ['S'] }));
    assert.deepEqual(pick(variants, 'position', 'genotype'), ['100 -']);
    assert.deepEqual(pick(copies, 'start_position', 'status'), ['1001 gain']);
    assert.match(
      warnings.map(({ message }) => message).join(),
      /^1 structural records passed .*no sample is called/,
    );
    assert.equal(account?.records, 5);
  });

  test('a call whose genotype failed its own filter has that filter, and is left out with passOnly', async () => {
    const text = vcf(
      [
        'chr1 100 . A G 50 PASS . GT:FT 0/1:PASS 0/1:LowGQ',
        'chr1 200 . A G 50 q10 . GT:FT 0/1:. 0/1:LowGQ;q10',
      ],
      { meta: [define('FORMAT', 'FT', '1', 'String', 'Genotype filter')], samples: ['A', 'B'] },
    );
    const { calls } = await convertText(text);
    assert.deepEqual(pick(calls, 'position', 'sample_id', 'filter').sort(), [
      '100 A PASS',
      '100 B LowGQ',
      '200 A q10',
      '200 B q10;LowGQ',
    ]);
    const passed = await convertText(text, { passOnly: true });
    assert.deepEqual(pick(passed.variants, 'position', 'sample_id'), ['100 A']);
  });
});

test('the direction of a segment in the file is its status', async () => {
  const meta = [define('INFO', 'TCN_EM', '1', 'Integer', 'Total copy number. 2 for normal diploid')];
  const { copies } = await convertText(
    vcf(['chr1 100 . N <CNV> . PASS SVTYPE=DUP;END=900 ', 'chr1 1000 . N <CNV:DEL> . PASS END=1900'], {
      meta,
    }),
    { sampleId: 'S' },
  );
  assert.deepEqual(pick(copies, 'start_position', 'status'), ['101 gain', '1001 partialLoss']);
  const expected = [define('FORMAT', 'ECN', '1', 'Integer', 'Expected copy number for ref genotype')];
  const ofMan = await convertText(
    vcf(['chrX 100 . N <CNV> . PASS END=900 GT:CN:ECN ./.:1:1'], { meta: expected, samples: ['S'] }),
  );
  assert.deepEqual(pick(ofMan.copies, 'copy_number', 'status'), ['1 neutral']);
});

test('one change of a protein has one spelling, and follows from letters where HGVS is not given', async () => {
  const csq = (fields: string) => [define('INFO', 'CSQ', '.', 'String', `Format: ${fields}`)];
  const changeOf = async (fields: string, value: string): Promise<string[]> =>
    pick(
      (
        await convertText(
          vcf([`chr1 100 . A G 50 PASS CSQ=${value} GT 0/1`], { meta: csq(fields), samples: ['S'] }),
        )
      ).variants,
      'amino_acid_change',
    );
  const named = 'Allele|Consequence|SYMBOL|HGVSp';
  for (const change of ['ENSP1.2:p.(Lys101Glu)', 'p.(Lys101Glu)', 'ENSP1.2:p.Lys101Glu'])
    assert.deepEqual(await changeOf(named, `G|missense_variant|A|${change}`), ['p.Lys101Glu'], change);
  const letters = `${named}|Protein_position|Amino_acids`;
  for (const [text, change] of [
    ['101|K/E', 'p.Lys101Glu'],
    ['101/900|K/*', 'p.Lys101Ter'],
    ['101|K', 'p.Lys101='],
    ['101-102|KK/E', '-'],
    ['?|K/E', '-'],
  ] as const)
    assert.deepEqual(await changeOf(letters, `G|missense_variant|A||${text}`), [change], text);
});

test('an ambiguous base of the reference is the first of those that it may be', async () => {
  const { variants } = await convertText(
    vcf(['chr1 100 . M G 50 PASS . GT 0/1', 'chr1 200 . S C 50 PASS . GT 1/1'], { samples: ['S'] }),
  );
  assert.deepEqual(pick(variants, 'position', 'reference', 'alternate'), ['100 A G']);
});

test('depths of local alleles are those of the record also beside GT', async () => {
  const { calls } = await convertText(
    vcf(['chr1 100 . A G,T,C 50 PASS . GT:LAA:LAD 0/3:3:10,12 1/3:1,3:0,9,8'], {
      meta: [
        define('FORMAT', 'LAA', '.', 'Integer', 'Local alleles'),
        define('FORMAT', 'LAD', '.', 'Integer', 'Local depths'),
      ],
      samples: ['A', 'B'],
    }),
  );
  assert.deepEqual(pick(calls, 'sample_id', 'reference_depth', 'alternate_depth').sort(), [
    'A 10 12',
    'B 0 8',
    'B 0 9',
  ]);
});

test('samples with names that programs give to all are reported, and can be named', async () => {
  const text = vcf(['chr1 100 . A G 50 PASS SOMATIC DP 3 4'], { samples: ['NORMAL', 'TUMOR'] });
  const unnamed = await convertText(text);
  assert.match(unnamed.warnings.map(({ message }) => message).join(), /names NORMAL, TUMOR.*sampleIds/);
  const renamed = await convertText(text, { sampleIds: { TUMOR: 'P1-T', NORMAL: 'P1-N' } });
  assert.deepEqual(pick(renamed.sequences, 'id').sort(), ['P1-N', 'P1-T']);
  assert.deepEqual(pick(renamed.variants, 'sample_id'), ['P1-T']);
  const one = await convertText(text, { sampleId: 'P1' });
  assert.deepEqual(pick(one.sequences, 'id').sort(), ['P1', 'P1-NORMAL']);
  assert.equal(one.warnings.length + renamed.warnings.length, 0);
  await assert.rejects(convertText(text, { sampleIds: { OTHER: 'P1' } }), {
    message: /names of sampleIds are not in the file/,
  });
  await assert.rejects(convertText(text, { sampleIds: { TUMOR: 'NORMAL' } }), { message: /the same name/ });
});

test('somatic records without genotypes are those of the tumor, by the names or by the header', async () => {
  const of = async (samples: string[], meta: string[] = [], flag = 'SOMATIC') => {
    const { variants, account } = await convertText(
      vcf([`chr1 100 . A G 50 PASS ${flag} DP 3 4`], { samples, meta }),
    );
    return [...pick(variants, 'sample_id'), ...(account?.leftOut ?? []).map(({ name }) => name)];
  };
  const unknown = ['no genotypes (GT) say whose the alleles are'];
  for (const samples of [
    ['P1_normal', 'P1_tumor'],
    ['Tumour-7', 'Normal-7'],
  ])
    assert.deepEqual(await of(samples), [samples.find((name) => /tumou?r/i.test(name))]);
  assert.deepEqual(await of(['N1', 'T1'], ['##tumor_sample=T1'], 'DP=7'), ['T1']);
  assert.deepEqual(await of(['N1', 'T1'], ['##PEDIGREE=<ID=T1,Derived=T1,Original=N1>']), ['T1']);
  assert.deepEqual(await of(['N1', 'T1']), unknown);
  assert.deepEqual(await of(['normal', 'tumor'], [], 'DP=7'), unknown);
  assert.deepEqual(await of(['tumor_normal', 'b']), unknown);
});

test('a symbol of any program is a copy number where the sample has one; a repeat is none', async () => {
  const records = [
    '1 10 . N <LOH> . PASS SVTYPE=LOH;END=20 GT:TCN 0/1:2',
    '1 30 . N <FOCAL> . PASS END=40 GT:TCN 0/1:9',
    '1 50 . N <CNV:TR> . PASS SVTYPE=CNV;SVLEN=30;CN=2.5 GT 0/1',
    '1 70 . N <STR9> . PASS SVTYPE=STR;END=80 GT:TCN 0/1:3',
    '1 90 . N <INS:ME:ALU> . PASS SVTYPE=INS GT:TCN 0/1:2',
  ];
  const meta = [define('INFO', 'CN', 'A', 'Float', 'Copy number of CNV/breakpoint')];
  const { copies, warnings } = await convertText(vcf(records, { samples: ['S'], meta }));
  assert.deepEqual(pick(copies, 'start_position', 'end_position', 'copy_number', 'status'), [
    '11 20 2 neutral',
    '31 40 9 amplification',
  ]);
  assert.match(warnings[0]?.message ?? '', /^3 symbolic alleles were left out/);
});

test('a record without a genotype is of the only sample where the file calls none, and likelihoods are no call', async () => {
  const declared = '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">';
  for (const meta of [[], [declared]])
    for (const [format, value, isCall] of [
      ['.', '.', true],
      ['DP', '9', true],
      ['PL', '0,120,1800', false],
      ['DP:GL', '9:-1,-5,-9', false],
      ['GP', '0.9,0.1,0', false],
    ] as const) {
      const text = vcf([`1 10 . A C 9 . . ${format} ${value}`, '1 20 . A C 9 . . GT 0/1'], {
        meta,
        samples: ['S'],
      });
      const { variants, account } = await convertText(text);
      const isCarrier = isCall && meta.length === 0;
      assert.deepEqual(pick(variants, 'position'), isCarrier ? ['10', '20'] : ['20'], `${meta} ${format}`);
      const left = [{ name: 'no genotypes (GT) say whose the alleles are', count: 1 }];
      assert.deepEqual(account?.leftOut, isCarrier ? [] : left);
    }
});

test('a record without a genotype has a row where it passed and reads of the alternate are counted', async () => {
  const meta = [
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
    '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="Allelic depths">',
  ];
  const records = ['1 10 . A C 9 PASS . AD 9,4', '1 20 . A C 9 PASS . AD 9,0', '1 30 . A C 9 q10 . AD 9,4'];
  const { variants } = await convertText(vcf(records, { meta, samples: ['S'] }));
  assert.deepEqual(pick(variants, 'position', 'genotype'), ['10 -']);
});

test('reads of both strands decide who carries a record without a genotype', async () => {
  const define = (id: string, text: string): string =>
    `##FORMAT=<ID=${id},Number=R,Type=Integer,Description="Allelic depths on the ${text} strand">`;
  const meta = [define('ADF', 'forward'), define('ADR', 'reverse')];
  const records = ['1 10 . A C,G 9 PASS . ADF:ADR 10,2,0:8,0,0', '1 20 . A C 9 PASS . ADF:ADR 9,0:8,0'];
  const { calls, warnings, account } = await convertText(vcf(records, { meta, samples: ['S'] }));
  assert.deepEqual(pick(calls, 'position', 'reference_depth', 'alternate_depth', 'allele_fraction'), [
    '10 18 2 0.1',
  ]);
  assert.deepEqual([warnings, account?.unread], [[], []]);
  const half = await convertText(
    vcf(['1 10 . A C 9 PASS . ADF 9,0', '1 20 . A C 9 PASS . ADF 9,1'], {
      meta: meta.slice(0, 1),
      samples: ['S'],
    }),
  );
  assert.deepEqual(pick(half.calls, 'position', 'alternate_depth'), ['20 -']);
  assert.deepEqual(half.account?.leftOut, [
    { name: 'no genotypes (GT) say whose the alleles are', count: 1 },
  ]);
});

test('an INFO that counts no reads of an alternate denies it to the only sample, or the list of calls', async () => {
  const meta = [
    '##INFO=<ID=PR,Number=1,Type=Integer,Description="Number of paired reads that support the event">',
    '##INFO=<ID=VD,Number=A,Type=Integer,Description="Number of reads with the variant">',
  ];
  const structural = (reads: number): string => `1 10 a N N[2:100[ . PASS SVTYPE=BND;PR=${reads}`;
  const deletion = (reads: number): string => `1 10 a N <DEL> . PASS SVTYPE=DEL;END=90;PR=${reads}`;
  for (const record of [structural, deletion])
    for (const [reads, rows] of [
      [0, 0],
      [3, 1],
    ] as const)
      for (const form of [
        vcf([record(reads)], { meta }),
        vcf([`${record(reads)} X 1`], { meta, samples: ['S'] }),
      ]) {
        const { copies, fusions } = await convertText(form, { sampleId: 'S' });
        assert.equal(copies.length + fusions.length, rows, form);
      }
  const { variants } = await convertText(
    vcf(['1 10 . A C,G 9 PASS VD=0,4 X 1', '1 20 . A C 9 PASS VD=. X 1'], { meta, samples: ['S'] }),
  );
  assert.deepEqual(pick(variants, 'position', 'alternate'), ['10 G', '20 C']);
});

test('keys of samples and structural records that the header does not define are named', async () => {
  const meta = ['##INFO=<ID=SVTYPE,Number=1,Type=String,Description="Type">'];
  const { warnings } = await convertText(
    vcf(['1 10 a N N[2:100[ . PASS SVTYPE=BND;PR=9 GT:ZZ 0/1:4'], { meta, samples: ['S'] }),
  );
  assert.match(warnings.map(({ message }) => message).join(), /does not define .*INFO\/PR, FORMAT\/ZZ/);
});
