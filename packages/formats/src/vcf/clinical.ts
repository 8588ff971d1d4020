/** ClinVar's numbers of clinical significance (its VCF until 2017) in the words of its later VCF. */
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

/** INFO keys of a clinical or cosmic column; the first that a record has counts. */
export const clinicalKeys = {
  alleleId: ['ALLELEID'],
  /** ANNOVAR's name of it: the ids of such records are not ClinVar's. */
  annotatedAlleleId: ['CLNALLELEID'],
  disease: ['CLNDN', 'CLNDBN'],
  review: ['CLNREVSTAT'],
  significance: ['CLNSIG'],
  /** Key of ClinVar until 2017: the alleles of the values of the three keys above; 0 is the reference. */
  oldAlleles: ['CLNALLE'],
  cosmicId: ['COSMIC_ID', 'COSMIC', 'cosmic', 'LEGACY_ID'],
  mutationStatus: ['MUTATION_SOMATIC_STATUS', 'MUTATION_STATUS'],
  histology: ['PRIMARY_HISTOLOGY', 'HISTOLOGY'],
  tumorSite: ['PRIMARY_SITE', 'TUMOUR_SITE', 'TUMOR_SITE'],
  cosmicSampleCount: ['SAMPLE_COUNT', 'GENOME_SCREEN_SAMPLE_COUNT', 'CNT'],
  rsNumber: ['RS'],
} as const;
