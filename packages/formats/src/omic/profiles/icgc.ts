import type { MafProfile } from '../profile.ts';

/** Somatic mutations of the ICGC (`simple_somatic_mutation.open.*.tsv`): a line for each transcript, genes by their ids. */
export const icgc: MafProfile = {
  type: 'maf',
  program: 'ICGC',
  recognised: ['icgc_mutation_id', 'icgc_sample_id', 'chromosome', 'chromosome_start', 'mutated_to_allele'],
  renamed: {
    Tumor_Sample_Barcode: 'icgc_sample_id',
    NCBI_Build: 'assembly_version',
    Chromosome: 'chromosome',
    Start_Position: 'chromosome_start',
    Reference_Allele: ['reference_genome_allele', 'mutated_from_allele'],
    Tumor_Seq_Allele2: 'mutated_to_allele',
    Gene: 'gene_affected',
    Transcript_ID: 'transcript_affected',
    Consequence: 'consequence_type',
    HGVSp_Short: 'aa_mutation',
    t_depth: 'total_read_count',
    t_alt_count: 'mutant_allele_read_count',
  },
  onePer: ['icgc_mutation_id', 'icgc_sample_id', 'gene_affected'],
  example: {
    record:
      'icgc_mutation_id=MU62030 | icgc_sample_id=SA1 | chromosome=7 | chromosome_start=140453136 | assembly_version=GRCh37 | reference_genome_allele=A | mutated_to_allele=T | gene_affected=ENSG00000157764 | consequence_type=missense_variant | aa_mutation=V600E | total_read_count=50',
    row: 'sample_id=SA1 | gene=ENSG00000157764 | position=140453136 | ebcanon_class=missense_variant | depth=50',
  },
};
