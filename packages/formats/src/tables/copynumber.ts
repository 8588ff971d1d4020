import { defineTable } from './table.ts';

/** One row per sample × segment × gene; `gene` is NULL for a segment whose genes the source does not name. */
export const copynumber = defineTable({
  name: 'copynumber',
  area: 'omic',
  about: 'Copy numbers, one row per sample, segment and gene.',
  plural: 'copynumbers',
  orderBy: ['chromosome', 'start_position'],
  formats: ['copy number tables', 'VCF'],
  columns: {
    sample_id: ['string', 'hash', 'Sample, as `sequence.id` names it.'],
    gene: ['string', 'none', 'Symbol of the gene, where the source names it.'],
    copy_number: ['float', 'none', 'Number of copies.'],
    status: ['string', 'none', 'Gain, loss or neutral state.'],
    attributes: ['string', 'null', 'Further values of the source, as JSON text.'],
    chromosome: ['string', 'none', 'Chromosome, as in `variant`.'],
    start_position: ['int', 'none', 'First base, counted from 1.'],
    end_position: ['int', 'none', 'Last base, inclusive.'],
    interpretation: ['string', 'null', 'Interpretation of the source.'],
    copy_number_set_id: ['string', 'hash', 'Set of copy numbers: one for each ingested file.'],
  },
});
