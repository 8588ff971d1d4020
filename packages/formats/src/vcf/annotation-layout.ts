import type { BcsqPlaces } from './foreign/bcsq.ts';
import type { FuncotationPlaces } from './foreign/funcotation.ts';
import type { FrequencyField } from './frequencies.ts';

/** Positions of each part among the fields of one annotation, from 1. */
export interface AnnotationLayout {
  /** INFO key that holds the annotations, separated by commas. */
  key: string;
  /** `classic`: SnpEff before 4.0, `EFFECT(IMPACT|…)`. */
  shape: 'fields' | 'classic';
  /** Spelling of the allele: as in ALT, or as VEP writes it, an indel without its first base. */
  alleles: 'alt' | 'vep';
  /** Names of the fields, as the header lists them. */
  names?: readonly string[];
  parts: Partial<Record<AnnotationPart, number>>;
  frequencies: (FrequencyField & { place: number })[];
  /** Set if records that were split after annotation kept their alleles. */
  isNeverTrimmed: boolean;
  /** Set for another notation, which is first translated into that of the layout. */
  translation?: Translation;
}

/** Names of a part in annotators' lists, in lower case; the first name in a list counts, at any position. */
export const partNames = {
  allele: ['allele'],
  alleleNumber: ['allele_num', 'genotypeindex', 'genotype_index'],
  effect: [
    'consequence',
    'annotation',
    'canonicaleffect',
    'canonical_effect',
    'effect',
    'consequences',
    'so_term',
  ],
  impact: ['impact', 'annotation_impact'],
  symbol: ['symbol', 'gene_name', 'hgnc', 'gene_symbol', 'genesymbol', 'hugo_symbol', 'genename'],
  geneId: ['gene', 'gene_id'],
  transcript: ['feature', 'feature_id', 'transcriptid', 'transcript_id', 'transcript id', 'transcript'],
  biotype: ['biotype', 'transcript_biotype'],
  codingChange: ['hgvsc', 'hgvs.c', 'hgvs_c', 'hgvscodingimpact', 'hgvscoding'],
  aminoAcidChange: ['hgvsp', 'hgvs.p', 'hgvs_p', 'hgvsproteinimpact', 'hgvsprotein'],
  proteinPosition: ['protein_position'],
  aminoAcids: ['amino_acids'],
  canonical: ['canonical'],
  // VEP's `MANE` names the set of a transcript; in older versions it holds the transcript of MANE Select.
  maneSelect: ['mane_select', 'mane'],
  manePlusClinical: ['mane_plus_clinical'],
  existingVariation: ['existing_variation'],
  significance: ['clin_sig'],
  exon: ['exon'],
  intron: ['intron'],
  // Prediction that a new stop leads to decay of the RNA.
  decay: [],
  // Allele that has the effect together with this one.
  joint: [],
} as const;

export type AnnotationPart = keyof typeof partNames;

/** Notation other than that of SnpEff and VEP. Plain data, which is sent to threads. */
export type Translation = (
  | { form: 'bcsq'; places: BcsqPlaces }
  | { form: 'funcotation'; places: FuncotationPlaces }
  | { form: 'annovar'; table: string }
  | { form: 'clinvar' }
  | { form: 'computed' }
) & {
  /** INFO keys whose values it provides, one for each alternate. */
  valueKeys: readonly string[];
};

/** Returns whether all numbers of alternates exist in the record. If one does not, the record was split after annotation. */
export function areOwnNumbers(numbers: ArrayLike<number>, count: number, alternateCount: number): boolean {
  for (let place = 0; place < count; place += 1)
    if ((numbers[place] as number) > alternateCount) return false;
  return true;
}
