/** Terms of the Sequence Ontology by VEP's impact, each list from the gravest (Ensembl's table of calculated consequences; SnpEff's and those of MAF where they belong). */
const termsOfImpact = {
  HIGH: [
    'transcript_ablation',
    'splice_acceptor_variant',
    'splice_donor_variant',
    'splice_site_variant',
    'stop_gained',
    'frameshift_variant',
    'stop_lost',
    'start_lost',
    'transcript_amplification',
    'feature_elongation',
    'feature_truncation',
  ],
  MODERATE: ['inframe_insertion', 'inframe_deletion', 'missense_variant', 'protein_altering_variant'],
  LOW: [
    'splice_donor_5th_base_variant',
    'splice_region_variant',
    'splice_donor_region_variant',
    'splice_polypyrimidine_tract_variant',
    'incomplete_terminal_codon_variant',
    'start_retained_variant',
    'stop_retained_variant',
    '5_prime_UTR_premature_start_codon_gain_variant',
    'synonymous_variant',
  ],
  MODIFIER: [
    'coding_sequence_variant',
    '5_prime_UTR_variant',
    '3_prime_UTR_variant',
    'non_coding_transcript_exon_variant',
    'intron_variant',
    'NMD_transcript_variant',
    'non_coding_transcript_variant',
    'upstream_gene_variant',
    'downstream_gene_variant',
    'intergenic_variant',
  ],
} as const;

const ranks: ReadonlyMap<string, number> = new Map(
  Object.values(termsOfImpact)
    .flat()
    .map((term, rank): [string, number] => [term, rank]),
);

const impacts: ReadonlyMap<string, string> = new Map(
  Object.entries(termsOfImpact).flatMap(([impact, terms]) =>
    terms.map((term): [string, string] => [term, impact]),
  ),
);

/** Lists each term once, the gravest first as in VEP; unknown ones last. */
export function byGravity(terms: readonly string[]): readonly string[] {
  if (terms.length === 1) return terms;
  const [first = '', second = ''] = terms;
  if (terms.length === 2 && first !== second)
    return rankOf(first) <= rankOf(second) ? terms : [second, first];
  return [...new Set(terms)].sort((left, right) => rankOf(left) - rankOf(right));
}

const rankOf = (term: string): number => ranks.get(term) ?? ranks.size;

/** Returns the impact of the gravest effect; undefined for unknown ones. */
export function impactOf(terms: readonly string[]): string | undefined {
  let [gravest] = terms;
  if (gravest === undefined) return undefined;
  for (const term of terms) if (rankOf(term) < rankOf(gravest)) gravest = term;
  return impacts.get(gravest);
}
