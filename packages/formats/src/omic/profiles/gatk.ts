import type { CopyNumberProfile } from '../profile.ts';

/** Segments of GATK's ModelSegments and CallCopyRatioSegments, below the header of a SAM that names the sample. */
export const gatk: CopyNumberProfile = {
  type: 'copynumber',
  program: 'GATK ModelSegments',
  recognised: ['CONTIG', 'START', 'END', ['MEAN_LOG2_COPY_RATIO', 'LOG2_COPY_RATIO_POSTERIOR_50']],
  sampleAbove: /^@RG\t(?:.*\t)?SM:([^\t]+)/,
  chromosome: 'CONTIG',
  start: 'START',
  end: 'END',
  firstBase: 1,
  log2: ['MEAN_LOG2_COPY_RATIO', 'LOG2_COPY_RATIO_POSTERIOR_50'],
  call: 'CALL',
  example: {
    record: 'CONTIG=chr1 | START=1 | END=9 | NUM_POINTS_COPY_RATIO=5 | MEAN_LOG2_COPY_RATIO=1 | CALL=+',
    row: 'chromosome=chr1 | start_position=1 | end_position=9 | copy_number=4 | status=gain',
  },
};
