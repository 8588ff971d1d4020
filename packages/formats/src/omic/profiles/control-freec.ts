import type { CopyNumberProfile } from '../profile.ts';

/** CNVs of Control-FREEC behind its script of significance (`*_CNVs.p.value.txt`), which writes a header. */
export const controlFreec: CopyNumberProfile = {
  type: 'copynumber',
  program: 'Control-FREEC',
  recognised: ['chr', 'start', 'end', 'copy number', 'status'],
  chromosome: 'chr',
  start: 'start',
  end: 'end',
  firstBase: 'seen',
  copies: ['copy number'],
  example: {
    record: 'chr=10 | start=0 | end=133797422 | copy number=1 | status=loss | genotype=A',
    row: 'chromosome=chr10 | start_position=1 | end_position=133797422 | copy_number=1 | status=partialLoss',
  },
};
