/** Keys are read by their description in the header: most of these names are invented. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const define = (kind: 'INFO' | 'FORMAT', id: string, number: string, type: string, text: string): string =>
  `##${kind}=<ID=${id},Number=${number},Type=${type},Description="${text}">`;

/** Names that no program writes; the seed makes every run the same. */
function inventedNames(count: number, seed: number): string[] {
  let state = seed;
  const next = (most: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  return Array.from(
    { length: count },
    (_, at) => `Z${at}${'QXJKVW'[next(6)]}${'BHMTRL'[next(6)]}_${next(100)}`,
  );
}

const structural = (info: string, format = '', sample = ''): string =>
  `chr1 1000 . N <DEL> . PASS SVTYPE=DEL;END=2000${info === '' ? '' : `;${info}`}${format === '' ? '' : ` ${format} ${sample}`}`;

describe('a key of an unknown name', () => {
  const [first = '', second = '', third = '', fourth = ''] = inventedNames(4, 47);

  test('a key described as copies fills copy_number, in INFO and in FORMAT', async () => {
    for (const text of [
      'Total copy number of the segment',
      'Estimated copy-number',
      'Predicted copy state',
      'Number of copies',
    ]) {
      const ofFormat = await convertText(
        vcf([structural('', `GT:${first}`, '0/1:1')], {
          meta: [define('FORMAT', first, '1', 'Integer', text)],
          samples: ['S'],
        }),
      );
      assert.deepEqual(pick(ofFormat.copies, 'copy_number', 'status'), ['1 partialLoss'], text);
      const ofInfo = await convertText(
        vcf([structural(`${first}=0`)], { meta: [define('INFO', first, '1', 'Float', text)] }),
        { sampleId: 'S' },
      );
      assert.deepEqual(pick(ofInfo.copies, 'copy_number', 'status'), ['0 loss'], text);
    }
  });

  test('with a quality, a ratio or a part of the copies fills no copy_number, and is listed', async () => {
    for (const text of [
      'Copy number quality',
      'Log2 ratio of the copy number',
      'Minor allele copy number',
      'Copy number posterior probability',
      'Copy number of tandem duplication (e.g. 2 for one additional copy)',
      'Number of copies of the repeat unit',
    ]) {
      const { copies, account } = await convertText(
        vcf([structural('', `GT:${first}`, '0/1:7')], {
          meta: [define('FORMAT', first, '1', 'Float', text)],
          samples: ['S'],
        }),
      );
      assert.deepEqual(pick(copies, 'copy_number'), ['1'], text);
      assert.ok(
        account?.unread.some(({ name }) => name === `FORMAT/${first}`),
        text,
      );
    }
  });

  test('a key described as reads fills the depths of a call', async () => {
    const meta = [
      define('FORMAT', first, '1', 'Integer', 'Number of reads that show the reference'),
      define('FORMAT', second, '1', 'Integer', 'Number of variant reads'),
      define('FORMAT', third, '1', 'Integer', 'Total read depth'),
    ];
    const { calls } = await convertText(
      vcf([`chr1 100 . A G 50 PASS . GT:${third}:${first}:${second} 0/1:10:6:4`], { meta, samples: ['S'] }),
    );
    assert.deepEqual(pick(calls, 'depth', 'reference_depth', 'alternate_depth', 'allele_fraction'), [
      '10 6 4 0.4',
    ]);
    const lists = ['split', 'paired'].map((kind, at) =>
      define(
        'FORMAT',
        [first, second][at] ?? '',
        '.',
        'Integer',
        `Number of ${kind} reads for the ref and alt alleles in the order listed`,
      ),
    );
    const both = await convertText(
      vcf([`chr1 100 . A G 50 PASS . GT:${first}:${second} 0/1:6,4:3,1`], { meta: lists, samples: ['S'] }),
    );
    assert.deepEqual(pick(both.calls, 'reference_depth', 'alternate_depth'), ['9 5']);
  });

  test('copies of a repeated unit are not read, nor is allele B of an array', async () => {
    const unit = define('FORMAT', 'CN', '1', 'Integer', 'Copy number of tandem duplication (2: one more)');
    const { copies } = await convertText(
      vcf(['chr1 1000 . N <DUP:TANDEM> . PASS SVTYPE=DUP;END=2000 GT:CN 0/1:2'], {
        meta: [unit],
        samples: ['S'],
      }),
    );
    assert.deepEqual(pick(copies, 'copy_number', 'status'), ['- gain']);
    const array = define('FORMAT', 'BAF', '1', 'Float', 'B Allele Frequency');
    const { calls, account } = await convertText(
      vcf(['chr1 100 . A G . . . GT:BAF 0/1:0.51'], { meta: [array], samples: ['S'] }),
    );
    assert.deepEqual(pick(calls, 'allele_fraction'), ['-']);
    assert.deepEqual(account?.unread, [{ name: 'FORMAT/BAF', count: 1 }]);
  });

  test('likelihoods, p-values and words that contain a subject are named in no warning', async () => {
    const meta = [
      define(
        'INFO',
        'FS',
        '1',
        'Float',
        "Phred-scaled p-value using Fisher's exact test to detect strand bias",
      ),
      define('FORMAT', 'GL', 'G', 'Float', 'Likelihoods of all genotypes given the sample ploidy'),
      define('FORMAT', 'SS', '1', 'Integer', '2=somatic, 3=LOH, 4=post-transcriptional modification'),
    ];
    const records = ['chr1 100 . A G . . FS=1.5 GT:GL:SS 0/1:-1,0,-2:2'];
    assert.deepEqual((await convertText(vcf(records, { meta, samples: ['S'] }))).warnings, []);
  });

  test('an unread key of a subject that no other key has is named in a warning', async () => {
    for (const [id, text, topic] of [
      ['POPAF', 'negative log 10 population allele frequencies of alt alleles', 'population frequencies'],
      [
        'clinvar_sig',
        'self of overlapping values in column CLNSIG of clinvar.vcf.gz',
        'clinical significance',
      ],
      ['vcfanno_ids', 'concat of values in ID of cosmic.vcf.gz', 'COSMIC'],
    ] as const) {
      const { warnings } = await convertText(
        vcf([`chr1 100 . A G . . ${id}=2.3 GT 0/1`], {
          meta: [define('INFO', id, 'A', id === 'POPAF' ? 'Float' : 'String', text)],
          samples: ['S'],
        }),
      );
      assert.deepEqual(
        warnings.map(({ message }) => message),
        [`These keys are not read: INFO/${id} (${topic}). found.unread lists all with their numbers.`],
      );
    }
  });

  test('a filter of one allele is the filter of its rows, and passOnly leaves out these alone', async () => {
    const meta = [define('INFO', first, 'A', 'String', 'Filter status for each allele, as assessed')];
    const records = [
      `chr1 100 . C T,G . PASS ${first}=SITE|weak_evidence,base_qual GT 0/1/2`,
      `chr1 200 . C T . PASS ${first}=SITE GT 0/1`,
      `chr1 300 . C T,G . PASS ${first}=weak_evidence GT 1/2`,
      `chr1 400 . C T . . ${first}=base_qual,weak_evidence GT 0/1`,
    ];
    const text = vcf(records, { meta, samples: ['S'] });
    const { calls } = await convertText(text);
    assert.deepEqual(pick(calls, 'position', 'filter'), [
      '100 PASS',
      '100 weak_evidence;base_qual',
      '200 PASS',
      '300 PASS',
      '300 PASS',
      '400 base_qual;weak_evidence',
    ]);
    const passed = await convertText(text, { passOnly: true });
    assert.deepEqual(pick(passed.variants, 'position', 'alternate'), ['100 T', '200 T', '300 T', '300 G']);
    assert.deepEqual(passed.account?.leftOut, [{ name: 'filters failed (passOnly)', count: 1 }]);
    const uncalled = await convertText(text, { passOnly: true, variantCalls: false });
    assert.equal(uncalled.variants.length, 4);
  });

  test('a key described as genes fills the gene of a row, and one of genes nearby does not', async () => {
    const meta = [
      define('INFO', first, '.', 'String', 'Genes that the event disrupts'),
      define('INFO', second, '.', 'String', 'Nearest gene'),
    ];
    const { copies } = await convertText(
      vcf([structural(`${first}=GENEA,GENEB;${second}=GENEC`, 'GT', '0/1')], { meta, samples: ['S'] }),
    );
    assert.deepEqual(pick(copies, 'gene').sort(), ['GENEA', 'GENEB']);
  });

  test('a key described by a population is a frequency, except sexes and raw counts', async () => {
    const meta = [
      define('INFO', first, 'A', 'Float', 'Allele frequency in gnomAD genomes'),
      define('INFO', second, 'A', 'Float', 'Allele frequency in the African subset of gnomAD genomes'),
      define('INFO', third, 'A', 'Float', 'Allele frequency among males of gnomAD genomes'),
      define('INFO', fourth, 'A', 'Float', 'Allele frequency in raw genotypes of gnomAD'),
    ];
    const { variants } = await convertText(
      vcf([`chr1 100 . A G 50 PASS ${first}=0.1;${second}=0.2;${third}=0.9;${fourth}=0.01 GT 0/1`], {
        meta,
        samples: ['S'],
      }),
    );
    assert.deepEqual(
      pick(variants, 'minimum_allele_frequency', 'maximum_allele_frequency', 'population_allele_frequency'),
      ['0.1 0.2 0.1'],
    );
  });

  test('a key with a list of fields of annotations is read by their names', async () => {
    const fields = 'GenotypeIndex|HGNC|TranscriptID|Consequence';
    for (const text of [
      `Consequences of a program. Format: ${fields}`,
      `Impact [${fields}]`,
      `Consequences '${fields}'`,
    ]) {
      const { variants } = await convertText(
        vcf([`chr1 100 . A G 50 PASS ${first}=1|GENEA|NM_1.2|missense_variant GT 0/1`], {
          meta: [define('INFO', first, '.', 'String', text)],
          samples: ['S'],
        }),
      );
      assert.deepEqual(
        pick(variants, 'gene', 'transcript_id', 'ebcanon_class'),
        ['GENEA NM_1.2 missense_variant'],
        text,
      );
    }
  });

  test('each key is read, or listed once with its number, however it is described', async () => {
    const names = inventedNames(40, 11);
    const texts = [
      '',
      'Some value',
      'Read depth',
      'Copy number',
      'Gene symbol',
      'Allele frequency in gnomAD',
      'Genotype filter',
      'Score',
    ];
    const types = ['Integer', 'Float', 'String'];
    const meta = names.map((name, at) =>
      define(
        at % 2 === 0 ? 'INFO' : 'FORMAT',
        name,
        at % 5 === 0 ? '.' : '1',
        types[at % 3] ?? '',
        texts[at % texts.length] ?? '',
      ),
    );
    const info = names.filter((_, at) => at % 2 === 0);
    const format = names.filter((_, at) => at % 2 === 1);
    const record = `chr1 100 . A G 50 PASS ${info.map((name) => `${name}=1`).join(';')} GT:${format.join(':')} 0/1:${format.map(() => '1').join(':')}`;
    const { account } = await convertText(
      vcf([record, record.replace('100', '200')], { meta, samples: ['S'] }),
    );
    assert.ok(account);
    const listed = [...account.read, ...account.kept, ...account.unread];
    for (const [kind, all] of [
      ['INFO', info],
      ['FORMAT', format],
    ] as const)
      for (const name of all) {
        const found = listed.filter((one) => one.name === `${kind}/${name}`);
        assert.deepEqual(
          found.map(({ count }) => count),
          [2],
          name,
        );
      }
  });
});
