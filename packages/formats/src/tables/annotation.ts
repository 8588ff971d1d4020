import type { Table } from './table.ts';
import { variant } from './variant.ts';

/** Columns that identify an allele in every file. */
export const alleleColumns = ['chromosome', 'position', 'reference', 'alternate'];

/**
 * Groups of columns of `variant` that other sources fill for an allele. Those of a group have one source. A verdict without its
 * own review, or a maximum frequency below that of the population, would be false.
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

/**
 * Alleles of an annotation file, each once. Statements cannot name it: it fills columns of `variant`
 * (docs/design/adr/0012-annotations.md). Its files count one by one, the newest first, so they are never merged.
 */
export const annotation: Table = {
  ...variant,
  name: '_annotation',
  about: 'Alleles of annotation files, which fill columns of `variant`.',
  plural: '_annotation',
  orderBy: [],
  formats: ['annotation'],
  columns: variant.columns.filter(({ name }) => annotationNames.has(name)),
};
