import type { CopyNumberProfile } from '../profile.ts';

/** Segments of the GDC as Xena has them (`*.masked_cnv.tsv`, `*.cnv.tsv`): the value is a mean log2 ratio. */
export const xenaSegments: CopyNumberProfile = {
  type: 'copynumber',
  program: 'segments of Xena',
  recognised: [['sample', 'sampleID'], ['Chrom', 'chr'], 'Start', 'End', 'value'],
  not: ['Major_Copy_Number'],
  sample: ['sample', 'sampleID'],
  chromosome: ['Chrom', 'chr'],
  start: 'Start',
  end: 'End',
  firstBase: 1,
  log2: 'value',
  example: {
    record: 'sample=TCGA-A1-A0SB-01A | Chrom=1 | Start=10 | End=200 | value=-1',
    row: 'sample_id=TCGA-A1-A0SB-01A | chromosome=chr1 | start_position=10 | copy_number=1',
  },
};

/** Segments of ASCAT at Xena, whose value is the number of copies. */
export const xenaCopies: CopyNumberProfile = {
  ...xenaSegments,
  recognised: [...xenaSegments.recognised, 'Major_Copy_Number'],
  not: [],
  log2: [],
  copies: ['value'],
  example: {
    record: 'sample=S1 | Chrom=1 | Start=10 | End=200 | value=1 | Major_Copy_Number=1',
    row: 'sample_id=S1 | chromosome=chr1 | start_position=10 | copy_number=1 | status=partialLoss',
  },
};
