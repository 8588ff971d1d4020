import type { AlterationTest } from '../node.ts';
import type { Token } from './scanner.ts';

/** Part of a test that a word stands for. */
type WordTest = Pick<AlterationTest, 'kinds' | 'classes' | 'consequences' | 'driver' | 'status'>;

/** Words for alterations, in upper case. */
export const alterationWords: Readonly<Record<string, WordTest>> = {
  MUT: { kinds: ['mutation'] },
  MISSENSE: { kinds: ['mutation'], classes: ['missense'] },
  NONSENSE: { kinds: ['mutation'], consequences: ['stop_gained'] },
  NONSTART: { kinds: ['mutation'], consequences: ['start_lost', 'initiator_codon_variant'] },
  NONSTOP: { kinds: ['mutation'], consequences: ['stop_lost'] },
  FRAMESHIFT: {
    kinds: ['mutation'],
    consequences: ['frameshift_variant', 'frameshift_elongation', 'frameshift_truncation'],
  },
  INFRAME: { kinds: ['mutation'], classes: ['inframe'] },
  SPLICE: { kinds: ['mutation'], classes: ['splice'] },
  TRUNC: { kinds: ['mutation'], classes: ['truncating', 'splice'] },
  PROMOTER: { kinds: ['mutation'], classes: ['promoter'] },
  FUSION: { kinds: ['fusion'] },
  AMP: { kinds: ['copy_number'], classes: ['amplification'] },
  GAIN: { kinds: ['copy_number'], classes: ['gain'] },
  HETLOSS: { kinds: ['copy_number'], classes: ['loss'] },
  HOMDEL: { kinds: ['copy_number'], classes: ['deletion'] },
};

/** Words that narrow others, joined by `_`. */
export const modifierWords: Readonly<Record<string, WordTest>> = {
  DRIVER: { driver: 'driver' },
  GERMLINE: { status: 'germline' },
  SOMATIC: { status: 'somatic' },
};

/** States of copies from the fewest to the most, with the class of each; the normal state has none. */
export const copyStates = [
  ['HOMDEL', 'deletion'],
  ['HETLOSS', 'loss'],
  ['DIPLOID', undefined],
  ['GAIN', 'gain'],
  ['AMP', 'amplification'],
] as const;

/** Tests of a gene that is named alone. */
export const bareGene: readonly WordTest[] = [
  { kinds: ['mutation'] },
  { kinds: ['fusion'] },
  { kinds: ['copy_number'], classes: ['amplification', 'deletion'] },
];

/** Words that the language of others has and this one has not, with the reason. */
export const absentWords: Readonly<Record<string, string>> = {
  DATATYPES: 'is not supported: name the alterations of each gene',
  EXP: 'is not supported: filters have no ranges of expression',
  PROT: 'is not supported: filters have no ranges of proteins',
};

/** Reports whether a word joins conditions. */
export const isJoint = (word: string): boolean => /^(and|or|not)$/i.test(word);

/** Reports whether a word cannot be a gene. */
export const isWord = (word: string): boolean =>
  isJoint(word) ||
  word
    .toUpperCase()
    .split('_')
    .some((part) =>
      [alterationWords, modifierWords, absentWords, { CNA: {} }].some((words) => Object.hasOwn(words, part)),
    );

const changePattern = /^(?:p\.)?(?:[A-Z]|[A-Z][a-z]{2})\d{1,5}(?:_(?:[A-Z]|[A-Z][a-z]{2})\d{1,5})?(\D\S*)?$/;

/** Reports whether a word is a change of a protein, or a residue: `V600E`, `p.Val600Glu`, `V600`. */
export const isChange = (word: string): boolean => changePattern.test(word);

/** Returns the test for a change; a residue alone is any change there. */
export function changeTest(word: string): AlterationTest {
  const kinds: WordTest['kinds'] = ['mutation'];
  const [, change] = changePattern.exec(word) ?? [];
  if (change !== undefined) return { kinds, proteinChanges: [word] };
  const residue = Math.max(1, Number(/\d+/.exec(word)?.[0]));
  return { kinds, proteinPositions: { from: residue, to: residue } };
}

/** Splits a token into its words, joined by `_`; a change of a protein may hold that sign. */
export function wordsOf({ text, at }: Token): [string, number][] {
  if (isChange(text)) return [[text, at]];
  let place = at;
  return text.split('_').flatMap((word): [string, number][] => {
    const found: [string, number][] = word === '' ? [] : [[word, place]];
    place += word.length + 1;
    return found;
  });
}
