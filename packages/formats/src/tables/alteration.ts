import { defineTable } from './table.ts';

/** One row per sample × gene × event, derived from `variant`, `copynumber` and `fusion` (docs/formats/tables.md). */
export const alteration = defineTable({
  name: 'alteration',
  area: 'study',
  about:
    'Changes of genes in samples that may matter: mutations of proteins, amplifications, gains and losses, and fusions.',
  plural: 'alterations',
  orderBy: ['gene', 'sample_id'],
  formats: ['VCF', 'MAF', 'copy number tables', 'fusion tables', 'study folders'],
  isExtension: true,
  columns: {
    sample_id: ['string', 'hash', 'Sample, as `sequence.id` names it.'],
    gene: ['string', 'none', 'Symbol of the altered gene.'],
    kind: ['string', 'none', 'Kind: `mutation`, `copy_number` or `fusion`.'],
    class: [
      'string',
      'none',
      'Class: `missense`, `inframe`, `truncating`, `splice`, `promoter`, `other`, `amplification`, `gain`, `loss` (of one copy), `deletion` (of all) or `fusion`.',
    ],
    consequence: ['string', 'none', 'Term of the Sequence Ontology, or effect of the fusion.'],
    protein_change: ['string', 'none', 'Change of the protein.'],
    chromosome: ['string', 'none', 'Chromosome, as in `variant`.'],
    position: ['int', 'none', 'First base of the change or of the breakpoint, counted from 1.'],
    reference: ['string', 'none', 'Reference allele of a mutation.'],
    alternate: ['string', 'none', 'Alternate allele of a mutation.'],
    partner_gene: ['string', 'none', 'Other gene of a fusion.'],
    driver: ['string', 'none', 'Judgement of the source: `driver` or `passenger`.'],
    status: ['string', 'none', 'Origin: `somatic` or `germline`.'],
    allele_fraction: ['float', 'none', 'Share of the reads with the alternate allele.'],
    clinical_significance: ['string', 'none', 'Clinical significance in ClinVar.'],
  },
});
