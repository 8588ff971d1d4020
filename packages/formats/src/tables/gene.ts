import { defineTable } from './table.ts';

/** Expression: one row per sample × gene, or transcript where the source counts these. */
export const gene = defineTable({
  name: 'gene',
  area: 'omic',
  about: 'Expression values, one row per sample and gene or transcript.',
  plural: 'expressions',
  orderBy: ['gene_id', 'gene_name'],
  formats: ['expression tables'],
  columns: {
    sample_id: ['string', 'hash', 'Sample, as `sequence.id` names it.'],
    gene_id: ['string', 'none', 'Identifier of the gene or transcript.'],
    gene_name: ['string', 'none', 'Symbol of the gene.'],
    expression: ['float', 'none', 'Expression value in `expression_unit`.'],
    raw_count: ['float', 'none', 'Count of reads.'],
    attributes: ['string', 'null', 'Further values of the source, as JSON text.'],
    is_normalized: ['boolean', 'none', 'Whether the value is normalized.'],
    expression_unit: ['string', 'none', 'Unit of the value.'],
    rna_quantification_set_id: ['string', 'hash', 'Set of expression values: one for each ingested file.'],
  },
});
