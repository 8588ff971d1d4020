import type { CopyNumberProfile } from '../profile.ts';

/** Segments of ASCAT. */
export const ascat: CopyNumberProfile = {
  type: 'copynumber',
  program: 'ASCAT',
  recognised: ['sample', 'chr', 'startpos', 'endpos', 'nMajor', 'nMinor'],
  chromosome: 'chr',
  start: 'startpos',
  end: 'endpos',
  firstBase: 1,
  clones: [{ alleles: ['nMajor', 'nMinor'] }],
  example: {
    record: 'sample=S1 | chr=1 | startpos=10 | endpos=200 | nMajor=2 | nMinor=1',
    row: 'sample_id=S1 | chromosome=chr1 | start_position=10 | copy_number=3 | status=gain',
  },
};
