import type { CopyNumberProfile } from '../profile.ts';

/** Segments of PureCN (`*_dnacopy.seg`): its mean is without regard to purity, its copies are not. */
export const pureCn: CopyNumberProfile = {
  type: 'copynumber',
  program: 'PureCN',
  recognised: ['ID', 'chrom', 'loc.start', 'loc.end', 'num.mark', 'seg.mean', 'C'],
  sample: 'ID',
  chromosome: 'chrom',
  start: 'loc.start',
  end: 'loc.end',
  firstBase: 1,
  copies: ['C'],
  log2: 'seg.mean',
  example: {
    record: 'ID=S1 | chrom=1 | loc.start=5 | loc.end=9 | num.mark=7 | seg.mean=-0.13 | C=1',
    row: 'sample_id=S1 | chromosome=chr1 | start_position=5 | copy_number=1 | status=partialLoss',
  },
};

/** Stretches and genes of PureCN with copies of both alleles (`*_loh.csv`, `*_genes.csv`). */
export const pureCnTables: CopyNumberProfile = {
  ...pureCn,
  recognised: ['Sampleid', ['chr', 'chrom'], 'start', 'end', 'C', 'seg.mean'],
  sample: 'Sampleid',
  chromosome: ['chr', 'chrom'],
  start: 'start',
  end: 'end',
  gene: 'gene.symbol',
  example: {
    record: 'Sampleid=S1 | gene.symbol=MYC | chr=chr8 | start=10 | end=200 | C=4 | seg.mean=0.4',
    row: 'sample_id=S1 | gene=MYC | chromosome=chr8 | start_position=10 | copy_number=4 | status=gain',
  },
};
