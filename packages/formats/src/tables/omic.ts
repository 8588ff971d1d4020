import { columns, type Table } from './table.ts';

/** One row per sample × allele × gene (docs/clarifications.md, "Grain of variant"). */
export const variant: Table = {
  name: 'variant',
  area: 'omic',
  columns: columns(
    'variant_id',
    'variant_set_id',
    'sample_id:string:hash',
    'chromosome',
    'position:int',
    'reference',
    'alternate',
    'minimum_allele_frequency:float',
    'maximum_allele_frequency:float',
    'population_allele_frequency:float',
    'rs_id',
    'clinvar_allele_id',
    'clinical_disease',
    'clinical_review',
    'clinical_significance',
    'clinical_submission',
    'cosmic_id',
    'mutation_status',
    'histology',
    'tumor_site',
    'cosmic_sample_count:int',
    'ebcanon_group',
    'ebcanon_class',
    'impact',
    'gene',
    'transcript_id',
    'biotype',
    'amino_acid_change',
    'genotype',
    'is_canonical:boolean',
  ),
};

/** Samples and the patients they were taken from; `sequence.id` is the `sample_id` of the omic tables. */
export const sequence: Table = {
  name: 'sequence',
  area: 'clinical',
  columns: columns(
    'patient_id:string:hash',
    'id:string:hash',
    'specimen_id:string:hash',
    'test_type',
    'sequence_type',
  ),
};
