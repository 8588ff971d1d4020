import { defineTable } from './table.ts';

/** One row per row of `variant` of a VCF or MAF (docs/formats/vcf.md, "Calls"). Extension beyond the specification. */
export const variantCall = defineTable({
  name: 'variant_call',
  area: 'omic',
  about:
    'Evidence of the alleles of samples, one row for each row of `variant` of a VCF, or of a MAF with such columns.',
  plural: 'variantCalls',
  orderBy: ['chromosome', 'position'],
  formats: ['VCF', 'MAF'],
  isExtension: true,
  columns: {
    variant_id: ['string', 'hash', 'Row of `variant`, together with `sample_id`.'],
    variant_set_id: ['string', 'hash', 'Set of variants: one for each ingested file.'],
    sample_id: ['string', 'hash', 'Sample, as `sequence.id` names it.'],
    chromosome: ['string', 'none', 'Chromosome, as in `variant`.'],
    position: ['int', 'none', 'Position of the first reference base, counted from 1.'],
    filter: ['string', 'none', 'Filters that failed, or PASS.'],
    quality: ['float', 'none', 'Phred-scaled quality of the record.'],
    depth: ['int', 'none', 'Number of reads of the sample at the position.'],
    genotype_quality: ['float', 'none', 'Phred-scaled quality of the genotype.'],
    reference_depth: ['int', 'none', 'Number of reads with the reference allele.'],
    alternate_depth: ['int', 'none', 'Number of reads with the alternate allele.'],
    allele_fraction: ['float', 'none', 'Share of the reads with the alternate allele.'],
    phase_set: ['string', 'code', 'Name of the set of phased genotypes.'],
    hgvs_c: ['string', 'none', 'Change of the transcript of `variant.transcript_id` in HGVS.'],
    hgvs_p: ['string', 'none', 'Change of its protein in HGVS, with the name of the protein.'],
    consequences: ['string', 'none', 'All annotations of the allele as a JSON list.'],
  },
});
