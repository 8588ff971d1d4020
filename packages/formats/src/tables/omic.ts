import { columns, type Table } from './table.ts';

/** One row per sample × allele × gene (docs/clarifications.md, "Grain of variant"). */
export const variant: Table = {
  name: 'variant',
  area: 'omic',
  columns: columns(
    'variant_id:string:hash',
    'variant_set_id:string:hash',
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

/**
 * One row per sample × segment × gene; `gene` is NULL for a segment whose genes the source does not name. Positions count from 1 and
 * include both ends.
 */
export const copynumber: Table = {
  name: 'copynumber',
  area: 'omic',
  columns: columns(
    'sample_id:string:hash',
    'gene',
    'copy_number:float',
    'status',
    'attributes:string:null',
    'chromosome',
    'start_position:int',
    'end_position:int',
    'interpretation:string:null',
    'copy_number_set_id:string:hash',
  ),
};

/** One row per sample × fusion. Of a breakpoint that is known to the base, start and end are the same. */
export const fusion: Table = {
  name: 'fusion',
  area: 'omic',
  columns: columns(
    'sample_id:string:hash',
    'gene1',
    'gene2',
    'effect',
    'chromosome1',
    'start_position1:int',
    'end_position1:int',
    'chromosome2',
    'start_position2:int',
    'end_position2:int',
    'interpretation:string:null',
    'sequence_type',
    'in_frame',
    'attributes:string:null',
    'fusion_set_id:string:hash',
  ),
};

/** Expression: one row per sample × gene, or transcript where the source counts these. */
export const gene: Table = {
  name: 'gene',
  area: 'omic',
  columns: columns(
    'sample_id:string:hash',
    'gene_id',
    'gene_name',
    'expression:float',
    'raw_count:float',
    'attributes:string:null',
    'is_normalized:boolean',
    'expression_unit',
    'rna_quantification_set_id:string:hash',
  ),
};

/** What makes two alleles the same, in every file. */
export const alleleColumns = ['chromosome', 'position', 'reference', 'alternate'];

/**
 * What is known of an allele elsewhere, by columns of `variant`. Those of a list come from one source: a verdict without its own review, or
 * a greatest frequency below that of the whole population, would say what nobody has said.
 */
export const annotatedColumns: readonly (readonly string[])[] = [
  ['minimum_allele_frequency', 'maximum_allele_frequency', 'population_allele_frequency'],
  ['rs_id'],
  ['clinvar_allele_id'],
  ['clinical_significance', 'clinical_review', 'clinical_disease'],
  ['clinical_submission'],
  ['cosmic_id'],
  ['mutation_status'],
  ['histology'],
  ['tumor_site'],
  ['cosmic_sample_count'],
];

const annotationNames = new Set([...alleleColumns, ...annotatedColumns.flat()]);

/** Alleles of an annotation file, each once. Nobody queries it: it fills columns of `variant` (docs/adr/0012-annotations.md). */
export const annotation: Table = {
  name: '_annotation',
  area: 'omic',
  columns: variant.columns.filter(({ name }) => annotationNames.has(name)),
};
