import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Node } from '../node.ts';
import { readStudy } from '../read-study.ts';
import { readGenes } from './read-genes.ts';

const mutation = ['mutation'];
const copies = ['copy_number'];
const braf = { genes: ['BRAF'] };
const or = (...tests: object[]) => ({ or: tests.map((alteration) => ({ alteration })) });
const one = (alteration: object) => ({ alteration });

const read: [string, object][] = [
  [
    'BRAF',
    or(
      { ...braf, kinds: mutation },
      { ...braf, kinds: ['fusion'] },
      { ...braf, kinds: copies, classes: ['amplification', 'deletion'] },
    ),
  ],
  ['braf: mut', one({ ...braf, kinds: mutation })],
  ['C9orf72: MUT', one({ genes: ['C9orf72'], kinds: mutation })],
  ['BRAF: MUT = V600E', one({ ...braf, kinds: mutation, proteinChanges: ['V600E'] })],
  [
    'BRAF: MUT=V600E,p.Val600Lys',
    one({ ...braf, kinds: mutation, proteinChanges: ['V600E', 'p.Val600Lys'] }),
  ],
  ['BRAF: V600', one({ ...braf, kinds: mutation, proteinPositions: { from: 600, to: 600 } })],
  ['BRAF: V600_K601delinsE', one({ ...braf, kinds: mutation, proteinChanges: ['V600_K601delinsE'] })],
  ['BRAF: MUT != V600E,V600K', one({ ...braf, kinds: mutation, notProteinChanges: ['V600E', 'V600K'] })],
  ['BRAF: MUT_(590-610)', one({ ...braf, kinds: mutation, proteinPositions: { from: 590, to: 610 } })],
  [
    'BRAF: (600-)_DRIVER',
    one({ ...braf, kinds: mutation, proteinPositions: { from: 600 }, driver: 'driver' }),
  ],
  [
    'TP53: SOMATIC_TRUNC',
    one({ genes: ['TP53'], kinds: mutation, classes: ['truncating', 'splice'], status: 'somatic' }),
  ],
  ['TP53: MUT VAF >= 0.1', one({ genes: ['TP53'], kinds: mutation, alleleFractionMin: 0.1 })],
  [
    'ERBB2: AMP MISSENSE',
    or(
      { genes: ['ERBB2'], kinds: copies, classes: ['amplification'] },
      { genes: ['ERBB2'], kinds: mutation, classes: ['missense'] },
    ),
  ],
  ['MYC: CNA >= GAIN', one({ genes: ['MYC'], kinds: copies, classes: ['gain', 'amplification'] })],
  ['MYC: CNA < DIPLOID', one({ genes: ['MYC'], kinds: copies, classes: ['deletion', 'loss'] })],
  ['EML4::ALK', one({ genes: ['EML4'], kinds: ['fusion'], partners: ['ALK'] })],
  [
    'BRAF: MUT AND NOT KRAS: MUT',
    { and: [one({ ...braf, kinds: mutation }), { not: one({ genes: ['KRAS'], kinds: mutation }) }] },
  ],
  [
    'BRAF: MUT\nKRAS: MUT; ',
    { or: [one({ ...braf, kinds: mutation }), one({ genes: ['KRAS'], kinds: mutation })] },
  ],
  [
    'NOT (BRAF: MUT OR KRAS: MUT)',
    { not: { or: [one({ ...braf, kinds: mutation }), one({ genes: ['KRAS'], kinds: mutation })] } },
  ],
];

for (const [text, filter] of read)
  test(`lines of genes become a filter that requests accept: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(readGenes(text), { filter });
    readStudy({ filter });
  });

const wrong: [string, number, RegExp, string?][] = [
  ['', 0, /The end stands where a gene/],
  ['BRAF:', 5, /alteration is expected/],
  ['BRAF: MUTT', 6, /neither a word/, 'MUT'],
  ['BRAF: MISENSE', 6, /neither a word/, 'MISSENSE'],
  ['BRAF: DRIVER_TRUNK', 13, /neither a word/, 'TRUNC'],
  ['BRAF: MUT = AMPP', 12, /neither a word/, 'AMP'],
  ['BRAF: MUT = rs113488022', 12, /dbSNP/],
  ['BRAF: MUT = c.1799T>A', 12, /no change of a protein/],
  ['BRAF: MUT != V600', 13, /whole changes/],
  ['BRAF: EXP > 2', 6, /not supported/],
  ['DATATYPES: MUT', 0, /word for alterations/],
  ['MYC: CNA >= GAINS', 12, /no state of copies/, 'GAIN'],
  ['MYC: CNA', 8, /is expected/],
  ['BRAF: MUT_AMP', 10, /second alteration/],
  ['TP53: VAF >= 2', 13, /from 0 to 1/],
  ['(BRAF', 5, /\) is expected/],
  ['BRAF: MUT ! x', 10, /not expected/],
  ['ALK::', 5, /other gene/],
  [`${'NOT '.repeat(9)}BRAF`, 20, /too deep/],
];

for (const [text, at, message, suggestion] of wrong)
  test(`errors have a place, and a suggestion where one is near: ${JSON.stringify(text.slice(0, 30))}`, () => {
    const result = readGenes(text);
    assert.ok('error' in result, JSON.stringify(result));
    assert.equal(result.error.at, at, result.error.message);
    assert.match(result.error.message, message);
    assert.equal(result.error.suggestion, suggestion);
  });

test('any text is read into a filter that requests accept, or has an error within it', () => {
  const word = fc.constantFrom(
    ...'BRAF : MUT = V600E AMP AND OR NOT ( ) _ , != CNA >= GAIN VAF 0.5 :: \n ; ! (1-2) DRIVER'.split(' '),
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 20 }).map((words) => words.join(' ')),
  );
  let readCount = 0;
  fc.assert(
    fc.property(text, (given) => {
      const result = readGenes(given);
      if ('error' in result) {
        const { at, message } = result.error;
        assert.ok(at >= 0 && at <= given.length && message.length > 5);
        return;
      }
      readCount += 1;
      readStudy({ filter: result.filter as Node });
    }),
    { numRuns: 5000 },
  );
  assert.ok(readCount > 100, `${readCount} were read`);
});
