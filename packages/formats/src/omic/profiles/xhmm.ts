import type { CopyNumberProfile } from '../profile.ts';

/** Calls of XHMM and CANOES (`*.xcnv`): deletions and duplications without a number of copies. */
export const xhmm: CopyNumberProfile = {
  type: 'copynumber',
  program: 'XHMM',
  recognised: ['SAMPLE', 'CNV', 'INTERVAL'],
  sample: 'SAMPLE',
  interval: 'INTERVAL',
  firstBase: 1,
  call: 'CNV',
  example: {
    record: 'SAMPLE=S1 | CNV=DUP | INTERVAL=22:18898402-18913235 | KB=14.83 | NUM_TARG=7',
    row: 'sample_id=S1 | chromosome=chr22 | start_position=18898402 | end_position=18913235 | status=gain',
  },
};
