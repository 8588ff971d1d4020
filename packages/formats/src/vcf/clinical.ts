/** ClinVar's numbers of clinical significance (its VCF until 2017) in the words that its VCF uses since. */
export const significanceOfNumber: ReadonlyMap<string, string> = new Map([
  ['0', 'Uncertain_significance'],
  ['1', 'not_provided'],
  ['2', 'Benign'],
  ['3', 'Likely_benign'],
  ['4', 'Likely_pathogenic'],
  ['5', 'Pathogenic'],
  ['6', 'drug_response'],
  ['7', 'histocompatibility'],
  ['255', 'other'],
]);

/** INFO keys that a clinical or cosmic column is taken from; the first that a record has counts. */
export const clinicalKeys = {
  alleleId: ['ALLELEID'],
  /** As ANNOVAR calls it: the ids of such records are none of ClinVar's. */
  annotatedAlleleId: ['CLNALLELEID'],
  disease: ['CLNDN', 'CLNDBN'],
  review: ['CLNREVSTAT'],
  significance: ['CLNSIG'],
  /** ClinVar until 2017: of which alleles the values of the three before speak, 0 is the reference. */
  oldAlleles: ['CLNALLE'],
  cosmicId: ['COSMIC_ID', 'COSMIC', 'cosmic', 'LEGACY_ID'],
  mutationStatus: ['MUTATION_SOMATIC_STATUS', 'MUTATION_STATUS'],
  histology: ['PRIMARY_HISTOLOGY', 'HISTOLOGY'],
  tumorSite: ['PRIMARY_SITE', 'TUMOUR_SITE', 'TUMOR_SITE'],
  cosmicSampleCount: ['SAMPLE_COUNT', 'GENOME_SCREEN_SAMPLE_COUNT', 'CNT'],
  rsNumber: ['RS'],
} as const;
