import { defineTable } from './table.ts';

/** One row per sample × fusion. A breakpoint known to the base has equal start and end. */
export const fusion = defineTable({
  name: 'fusion',
  area: 'omic',
  about: 'Gene fusions, one row per sample and fusion.',
  plural: 'fusions',
  orderBy: ['chromosome1', 'start_position1'],
  formats: ['fusion tables', 'VCF'],
  columns: {
    sample_id: ['string', 'hash', 'Sample, as `sequence.id` names it.'],
    gene1: ['string', 'none', 'Symbol of the first gene.'],
    gene2: ['string', 'none', 'Symbol of the second gene.'],
    effect: ['string', 'none', 'Effect of the fusion.'],
    chromosome1: ['string', 'none', 'Chromosome of the first breakpoint.'],
    start_position1: ['int', 'none', 'First base of the first breakpoint.'],
    end_position1: ['int', 'none', 'Last base of the first breakpoint, inclusive.'],
    chromosome2: ['string', 'none', 'Chromosome of the second breakpoint.'],
    start_position2: ['int', 'none', 'First base of the second breakpoint.'],
    end_position2: ['int', 'none', 'Last base of the second breakpoint, inclusive.'],
    interpretation: ['string', 'null', 'Interpretation of the source.'],
    sequence_type: ['string', 'none', 'Kind of sequencing that found the fusion.'],
    in_frame: ['string', 'none', 'Whether the reading frame is kept.'],
    attributes: ['string', 'null', 'Further values of the source, as JSON text.'],
    fusion_set_id: ['string', 'hash', 'Set of fusions: one for each ingested file.'],
  },
});
