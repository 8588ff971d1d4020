import type { FusionProfile } from '../profile.ts';

/** deFuse's `results.tsv`, filtered or classified. Its `gene1` and `gene2` are ids, and its genes are unordered. */
export const defuse: FusionProfile = {
  type: 'fusion',
  program: 'deFuse',
  recognised: ['gene1', 'gene2', 'gene_name1', 'gene_name2', 'genomic_break_pos1', 'genomic_break_pos2'],
  genes: ['gene_name1', 'gene_name2'],
  ids: ['gene1', 'gene2'],
  chromosomes: ['gene_chromosome1', 'gene_chromosome2'],
  positions: ['genomic_break_pos1', 'genomic_break_pos2'],
  marks: {
    interchromosomal: 'translocation',
    inversion: 'inversion',
    eversion: 'duplication',
    deletion: 'deletion',
  },
  frame: 'orf',
  molecule: 'RNA',
  sample: ['sample_id', 'sample', 'library_name'],
  unread: ['splitr_sequence'],
  example: {
    record:
      'gene1=ENSG00000186716 | gene2=ENSG00000097007 | gene_name1=BCR | gene_name2=ABL1 | gene_chromosome1=22 | gene_chromosome2=9 | genomic_break_pos1=23632600 | genomic_break_pos2=133729451 | interchromosomal=Y | orf=N',
    row: 'gene1=BCR | gene2=ABL1 | start_position1=23632600 | effect=translocation | in_frame=no',
  },
};
