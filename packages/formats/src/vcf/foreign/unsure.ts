import type { PlainAnnotation } from './plain-annotation.ts';

/** Of annotations of several alternates, where nothing says which are whose: the genes, and the transcripts, that all of them name. */
export function sureOfAll(groups: readonly (readonly PlainAnnotation[])[]): PlainAnnotation[] {
  const [first = [], ...others] = groups;
  const isEverywhere = (is: (one: PlainAnnotation) => boolean): boolean =>
    others.every((group) => group.some(is));
  const sure = first
    .filter(({ gene }) => gene !== undefined && isEverywhere((one) => one.gene === gene))
    .map(({ gene, transcript, biotype }): PlainAnnotation => {
      const isKnown = isEverywhere((one) => one.gene === gene && one.transcript === transcript);
      return { alternate: 0, effects: [], gene, ...(isKnown && { transcript, biotype }) };
    });
  // One that names a transcript says more.
  return sure.sort((left, right) => Number(!left.transcript) - Number(!right.transcript));
}
