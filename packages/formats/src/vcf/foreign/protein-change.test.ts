import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aminoAcids } from './amino-acids.ts';
import { isSpelled, spelledChange } from './protein-change.ts';

const residue = fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWY');
const long = (letter: string): string => aminoAcids[letter] ?? letter;

test('a change of a protein has one spelling, whatever the program', () => {
  fc.assert(
    fc.property(residue, fc.integer({ min: 1, max: 9999 }), residue, fc.nat(99), (from, at, to, stop) => {
      const [first, last] = [long(from), long(to)];
      const spellings: Record<string, string[]> =
        from === to
          ? { [`p.${first}${at}=`]: [`p.${first}${at}${first}`, `p.${from}${at}=`, `p.(${first}${at}=)`] }
          : {
              [`p.${first}${at}${last}`]: [
                `p.${from}${at}${to}`,
                `p.(${first}${at}${last})`,
                `${from}${at}${to}`,
              ],
              [`p.${first}${at}Ter`]: [
                `p.${first}${at}*`,
                `p.${first}${at}X`,
                `p.${from}${at}*`,
                `${from}${at}*`,
              ],
              [`p.${first}${at}${last}fsTer${stop}`]: [
                ...[`p.${first}${at}${last}fs*${stop}`, `p.${first}${at}${last}fsX${stop}`],
                ...[`p.${from}${at}${to}fs*${stop}`, `p.(${first}${at}${last}fs*${stop})`],
              ],
              [`p.${first}${at}fs`]: [`p.${from}${at}fs`],
              [`p.Ter${at}${last}extTer${stop}`]: [
                `p.*${at}${last}ext*${stop}`,
                `p.X${at}${last}extX${stop}`,
                `p.*${at}${to}ext*${stop}`,
              ],
            };
      for (const [one, others] of Object.entries(spellings))
        for (const written of [one, ...others]) assert.equal(spelledChange(written), one, written);
    }),
  );
});

test('a text that needs no other spelling keeps it, and other notations stay as they are', () => {
  const texts = [
    'p.Lys101Glu',
    'p.Gln746_Ala750del',
    'p.Met1?',
    'p.?',
    'p.14_15del',
    'G12D',
    'p.Leu53Leu',
    '',
  ];
  for (const text of texts) {
    const bytes = Buffer.from(`<${text}>`);
    if (isSpelled(bytes, 1, bytes.length - 1)) assert.equal(spelledChange(text), text);
  }
  for (const text of ['p.?', 'p.14_15del', 'E12', 'exon 12', 'c.35G>A', 'p.Gln746_Ala750del'])
    assert.equal(spelledChange(text), text);
  assert.equal(isSpelled(Buffer.from('p.Lys101Glu'), 0, 11), true);
});
