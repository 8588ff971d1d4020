/** Reads of records without genotypes, and fractions beside reads, compared with a plain reading of generated records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const bases = ['C', 'G', 'T'];
const define = (id: string, number: string, type: string, text: string): string =>
  `##FORMAT=<ID=${id},Number=${number},Type=${type},Description="${text}">`;

const record = fc.record({
  alternates: fc.integer({ min: 1, max: 3 }),
  depths: fc.option(fc.array(fc.constantFrom<number>(0, 0, 3, 8), { minLength: 4, maxLength: 4 }), {
    nil: undefined,
  }),
  shares: fc.array(fc.constantFrom(0, 0.25, 0.5), { minLength: 1, maxLength: 3 }),
});

/** Reads a fraction under a key of this Number plainly: a number of its own for each alternate. */
function shareOf(
  number: string,
  shares: readonly number[],
  alternates: number,
  at: number,
): number | undefined {
  const isForEach = number === 'A' || number === '.' || number === 'R' || number === '1';
  return isForEach && shares.length === alternates ? shares[at] : undefined;
}

for (const [key, text] of [
  ['AF', 'Allele fractions of alternate alleles in the tumor'],
  ['XVAF', 'Variant allele fraction in the reads of the sample'],
] as const)
  test(`without genotypes the reads decide who carries, and ${key} is a fraction if its Number is one for each`, async () => {
    const records = fc.sample(record, { numRuns: 60, seed: 7 });
    for (const number of ['1', '2', '3', 'A', 'R', 'G', '.']) {
      const lines = records.map(({ alternates, depths, shares }, at) => {
        const [names, values] = depths
          ? [`AD:${key}`, `${depths.slice(0, alternates + 1).join(',')}:${shares.join(',')}`]
          : [key, shares.join(',')];
        return `1 ${at + 1} . A ${bases.slice(0, alternates).join(',')} 9 . . ${names} ${values}`;
      });
      const expected = records.flatMap(({ alternates, depths, shares }, at) =>
        // One value for each genotype calls none of them.
        bases.slice(0, number === 'G' ? 0 : alternates).flatMap((_, place) => {
          const own = depths?.[place + 1];
          const share = shareOf(number, shares, alternates, place);
          if (own === 0 || (own === undefined && share === 0)) return [];
          const total = depths?.slice(0, alternates + 1).reduce((sum, one) => sum + one, 0) ?? 0;
          const fraction = share ?? (own === undefined ? undefined : own / total);
          return [`${at + 1} ${own ?? '-'} ${fraction ?? '-'}`];
        }),
      );
      const meta = [define(key, number, 'Float', text), define('AD', 'R', 'Integer', 'Allelic depths')];
      const { calls } = await convertText(vcf(lines, { meta, samples: ['S'] }));
      const found = pick(calls, 'position', 'alternate_depth', 'allele_fraction');
      assert.deepEqual(found.sort(), expected.sort(), number);
    }
  });

test('fractions far from those of the reads beside them are counted in a warning', async () => {
  const meta = [define('GT', '1', 'String', 'Genotype'), define('AD', 'R', 'Integer', 'Depths')];
  const textOf = (fraction: string): string =>
    vcf(['1 10 . A C 9 . . GT:AD:AF 0/1:90,10:0.12', `1 20 . A C 9 . . GT:AD:AF 0/1:95,5:${fraction}`], {
      meta,
      samples: ['S'],
    });
  const { warnings } = await convertText(textOf('0.9'));
  assert.match(warnings.map(({ message }) => message).join(), /fraction of 1 of 2 calls/);
  assert.deepEqual((await convertText(textOf('0.07'))).warnings, []);
});

test('a dose of an allele is no call', async () => {
  const meta = [define('DX', '1', 'Float', 'Estimated alternate allele dosage')];
  for (const [format, value] of [
    ['DX', '1.9'],
    ['DS:HDS', '0.02:0.01,0.01'],
  ] as const) {
    const text = vcf([`1 10 . A C 9 PASS . ${format} ${value}`], { meta, samples: ['S'] });
    const { variants, account } = await convertText(text);
    assert.equal(variants.length, 0);
    assert.deepEqual(account?.leftOut, [{ name: 'no genotypes (GT) say whose the alleles are', count: 1 }]);
  }
});

test('numbers outside of the domain of their column are NULL, whatever stands for a missing one', async () => {
  const far = fc.constantFrom(-1, -9, -999, 2 ** 31 - 1, 4.2e9, 1e30);
  const meta = [define('CN', '1', 'Float', 'Copy number'), define('DP', '1', 'Integer', 'Depth')];
  for (const value of fc.sample(far, { numRuns: 12, seed: 5 })) {
    const { calls, copies } = await convertText(
      vcf(
        [
          `1 10 . A C ${value < 0 ? value : 9} . . GT:DP:AD:GQ 0/1:${value}:${value},${value}:${value}`,
          `1 20 . N <DUP> 9 . SVTYPE=DUP;END=30 GT:CN 0/1:${value}`,
        ],
        { meta, samples: ['S'] },
      ),
    );
    const quality = value < 0 ? '-' : '9';
    const [call] = pick(calls, 'quality', 'depth', 'genotype_quality', 'alternate_depth');
    assert.equal(call, `${quality} - - -`, `${value}`);
    assert.deepEqual(pick(copies, 'copy_number', 'status'), ['- gain'], `${value}`);
  }
});

test('a list that is described in another order than reference and alternate is not read, and named', async () => {
  const texts = [
    'Reads of the variant and reference allele',
    'Depth: total, alternate',
    'Alt/ref read counts',
  ];
  for (const text of texts) {
    const meta = [define('AD', '2', 'Integer', text)];
    const { calls, warnings } = await convertText(
      vcf(['1 10 . A C 9 . . GT:AD 0/1:30,10'], { meta, samples: ['S'] }),
    );
    assert.deepEqual(pick(calls, 'reference_depth', 'alternate_depth', 'allele_fraction'), ['- - -'], text);
    assert.match(warnings.map(({ message }) => message).join(), /not read: FORMAT\/AD/, text);
  }
});

test('a phase set is that of a phased genotype', async () => {
  const records = ['0|1:7', '0/1:7', '1:7', '0|1:-1'].map(
    (sample, at) => `1 ${at + 1} . A C . . . GT:PS ${sample}`,
  );
  const { calls } = await convertText(vcf(records, { samples: ['S'] }));
  assert.deepEqual(pick(calls, 'phase_set'), ['7', '-', '7', '-']);
});
