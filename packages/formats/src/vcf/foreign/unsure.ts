import type { PlainAnnotation } from './plain-annotation.ts';

/** Reduces annotations of several alternates without a known owner to the genes and transcripts that all of them name. */
export function sureOfAll(groups: readonly (readonly PlainAnnotation[])[]): PlainAnnotation[] {
  const [genes, transcripts] = [namedByAll(groups, geneKey), namedByAll(groups, transcriptKey)];
  const sure = (groups[0] ?? []).flatMap((one): PlainAnnotation[] => {
    const { gene, transcript, biotype } = one;
    if (gene === undefined || !genes.has(geneKey(one))) return [];
    const isKnown = transcripts.has(transcriptKey(one));
    return [{ alternate: 0, effects: [], gene, ...(isKnown && { transcript, biotype }) }];
  });
  // The one with a transcript is more specific.
  return sure.sort((left, right) => Number(!left.transcript) - Number(!right.transcript));
}

function namedByAll(
  groups: readonly (readonly PlainAnnotation[])[],
  keyOf: (one: PlainAnnotation) => string,
): Set<string> {
  const [first = new Set<string>(), ...others] = groups.map((group) => new Set(group.map(keyOf)));
  return others.reduce((left, right) => left.intersection(right), first);
}

function geneKey({ gene = '' }: PlainAnnotation): string {
  return gene;
}

function transcriptKey({ gene = '', transcript = '' }: PlainAnnotation): string {
  return `${gene} ${transcript}`;
}
