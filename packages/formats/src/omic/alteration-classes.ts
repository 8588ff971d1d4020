import type { CopyNumberStatus } from './copy-number/status.ts';

/** Classes of mutations in `alteration`, with the terms of the Sequence Ontology that belong to each. */
export const mutationClasses = {
  missense: ['missense_variant', 'rare_amino_acid_variant'],
  inframe: [
    'inframe_insertion',
    'inframe_deletion',
    'disruptive_inframe_insertion',
    'disruptive_inframe_deletion',
    'conservative_inframe_insertion',
    'conservative_inframe_deletion',
    'protein_altering_variant',
  ],
  truncating: [
    'frameshift_variant',
    'frameshift_elongation',
    'frameshift_truncation',
    'stop_gained',
    'stop_lost',
    'start_lost',
    'transcript_ablation',
    'exon_loss_variant',
  ],
  splice: [
    'splice_acceptor_variant',
    'splice_donor_variant',
    'splice_site_variant',
    'splice_region_variant',
    'exonic_splice_region_variant',
    'splice_donor_region_variant',
    'splice_donor_5th_base_variant',
  ],
  other: ['initiator_codon_variant', 'coding_sequence_variant'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Terms that are alterations of one gene only: promoters are not annotated as such. */
export const promoterTerms = { gene: 'TERT', terms: ['upstream_gene_variant'] } as const;

/** Class of a copy number in `alteration` by its status; a neutral one is no alteration. */
export const copyNumberClasses: Readonly<Record<Exclude<CopyNumberStatus, 'neutral'>, string>> = {
  amplification: 'amplification',
  gain: 'gain',
  partialLoss: 'loss',
  loss: 'deletion',
};

/** Class of a mutation by the term of its effect; undefined when the effect is no alteration. */
export function mutationClass(term: string, gene?: string): string | undefined {
  const found = Object.entries(mutationClasses).find(([, terms]) =>
    (terms as readonly string[]).includes(term),
  );
  if (found) return found[0];
  const { gene: promoted, terms } = promoterTerms;
  return gene === promoted && (terms as readonly string[]).includes(term) ? 'promoter' : undefined;
}
