import { defineTable } from './table.ts';

/** Genes that the panels of assays cover, one row per panel and gene. */
export const genePanel = defineTable({
  name: 'gene_panel',
  area: 'study',
  about: 'Genes that the panels of assays cover, one row per panel and gene.',
  plural: 'genePanels',
  orderBy: ['panel_id', 'gene'],
  formats: ['study folders'],
  isExtension: true,
  columns: {
    panel_id: ['string', 'none', 'Id of the panel.'],
    description: ['string', 'none', 'Description of the panel.'],
    gene: ['string', 'none', 'Symbol of a gene that the panel covers.'],
  },
});

/** Examinations of samples. A sample without a row of a kind was not examined for it. */
export const sampleProfile = defineTable({
  name: 'sample_profile',
  area: 'study',
  about: 'Kinds of alterations that were looked for in samples, one row per sample and kind.',
  plural: 'sampleProfiles',
  orderBy: ['sample_id', 'kind'],
  formats: ['VCF', 'MAF', 'copy number tables', 'fusion tables', 'expression tables', 'study folders'],
  isExtension: true,
  columns: {
    sample_id: ['string', 'hash', 'Sample, as `sequence.id` names it.'],
    kind: ['string', 'none', 'Kind: `mutation`, `copy_number`, `fusion` or `expression`.'],
    panel_id: ['string', 'none', 'Panel, as in `gene_panel`; NULL: every gene was examined.'],
    assay: ['string', 'none', 'Assay: `panel`, `exome` or `genome`; NULL: not known.'],
  },
});
