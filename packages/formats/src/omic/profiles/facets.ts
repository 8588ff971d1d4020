import type { CopyNumberProfile } from '../profile.ts';

/** Segments of FACETS (`cncf`), with its better estimate where that is known. */
export const facets: CopyNumberProfile = {
  type: 'copynumber',
  program: 'FACETS',
  recognised: ['chrom', ['loc.start', 'start'], ['loc.end', 'end'], 'cnlr.median', ['tcn.em', 'tcn']],
  sample: ['sample_id', 'sample', 'ID'],
  chromosome: 'chrom',
  start: ['loc.start', 'start'],
  end: ['loc.end', 'end'],
  firstBase: 1,
  copies: ['tcn.em', 'tcn'],
  example: {
    record: 'chrom=23 | loc.start=10 | loc.end=200 | cnlr.median=0.3 | tcn=3 | tcn.em=4',
    row: 'chromosome=chrX | start_position=10 | end_position=200 | copy_number=4 | status=gain',
  },
};

/** Genes of facets-suite (`*.gene_level.txt`). */
export const facetsGenes: CopyNumberProfile = {
  ...facets,
  program: 'FACETS (genes)',
  recognised: ['sample', 'gene', 'chrom', 'gene_start', 'gene_end', ['tcn.em', 'tcn']],
  start: 'gene_start',
  end: 'gene_end',
  gene: 'gene',
  isOfGenes: true,
  example: {
    record: 'sample=S1 | gene=MYC | chrom=8 | gene_start=10 | gene_end=200 | tcn=3 | tcn.em=4',
    row: 'sample_id=S1 | gene=MYC | chromosome=chr8 | start_position=10 | copy_number=4',
  },
};
