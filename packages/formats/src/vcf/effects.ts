/** Sequence ontology terms by the coarse group that analysts filter on. Other terms have no group. */
export const effectGroups: Readonly<Record<string, readonly string[]>> = {
  frameshift: ['frameshift_variant', 'frameshift_elongation', 'frameshift_truncation'],
  splice_region: [
    'splice_region_variant',
    'splice_donor_5th_base_variant',
    'splice_donor_region_variant',
    'splice_polypyrimidine_tract_variant',
    'exonic_splice_region_variant',
    'intronic_splice_region_variant',
    'splice_branch_variant',
  ],
  splice_site: ['splice_acceptor_variant', 'splice_donor_variant', 'splice_site_variant'],
  stop_lost: ['stop_lost'],
  start_lost: ['start_lost', 'initiator_codon_variant'],
  nonsense: ['stop_gained'],
  inframe: [
    'inframe_insertion',
    'inframe_deletion',
    'disruptive_inframe_insertion',
    'disruptive_inframe_deletion',
    'conservative_inframe_insertion',
    'conservative_inframe_deletion',
    'protein_altering_variant',
  ],
  missense: ['missense_variant', 'rare_amino_acid_variant'],
  UTR3: ['3_prime_UTR_variant', '3_prime_UTR_truncation'],
  UTR5: ['5_prime_UTR_variant', '5_prime_UTR_truncation', '5_prime_UTR_premature_start_codon_gain_variant'],
  synonymous: ['synonymous_variant', 'stop_retained_variant', 'start_retained_variant', 'start_retained'],
};

/** Effect for which SnpEff names the genes on both sides (`OR4F5-OR4F29`) instead of gene and feature. They are no gene. */
export const intergenicRegion = 'intergenic_region';

/** Sequence ontology term → group. */
export const groupOfEffect: ReadonlyMap<string, string> = new Map(
  Object.entries(effectGroups).flatMap(([group, terms]) =>
    terms.map((term): [string, string] => [term, group]),
  ),
);

/** Effect names of SnpEff before 4.0 (`EFF=`) → sequence ontology terms. */
export const classicEffects: ReadonlyMap<string, string> = new Map([
  ['CODON_CHANGE_PLUS_CODON_DELETION', 'disruptive_inframe_deletion'],
  ['CODON_CHANGE_PLUS_CODON_INSERTION', 'disruptive_inframe_insertion'],
  ['CODON_DELETION', 'inframe_deletion'],
  ['CODON_INSERTION', 'inframe_insertion'],
  ['DOWNSTREAM', 'downstream_gene_variant'],
  ['EXON', 'non_coding_transcript_exon_variant'],
  ['FRAME_SHIFT', 'frameshift_variant'],
  ['INTERGENIC', 'intergenic_region'],
  ['INTRAGENIC', 'intragenic_variant'],
  ['INTRON', 'intron_variant'],
  ['NON_SYNONYMOUS_CODING', 'missense_variant'],
  ['NON_SYNONYMOUS_START', 'initiator_codon_variant'],
  ['RARE_AMINO_ACID', 'rare_amino_acid_variant'],
  ['SPLICE_SITE_ACCEPTOR', 'splice_acceptor_variant'],
  ['SPLICE_SITE_DONOR', 'splice_donor_variant'],
  ['SPLICE_SITE_REGION', 'splice_region_variant'],
  ['START_GAINED', '5_prime_UTR_premature_start_codon_gain_variant'],
  ['START_LOST', 'start_lost'],
  ['STOP_GAINED', 'stop_gained'],
  ['STOP_LOST', 'stop_lost'],
  ['SYNONYMOUS_CODING', 'synonymous_variant'],
  ['SYNONYMOUS_START', 'start_retained_variant'],
  ['SYNONYMOUS_STOP', 'stop_retained_variant'],
  ['UPSTREAM', 'upstream_gene_variant'],
  ['UTR_3_PRIME', '3_prime_UTR_variant'],
  ['UTR_5_PRIME', '5_prime_UTR_variant'],
]);
