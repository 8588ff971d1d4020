import type { CopyNumberProfile } from '../profile.ts';

/** Segments of Battenberg (`*_subclones.txt`, `*_copynumber.txt`): the copies of both clones by their shares. */
export const battenberg: CopyNumberProfile = {
  type: 'copynumber',
  program: 'Battenberg',
  recognised: ['chr', 'startpos', 'endpos', 'nMaj1_A', 'nMin1_A', 'frac1_A'],
  chromosome: 'chr',
  start: 'startpos',
  end: 'endpos',
  firstBase: 1,
  clones: [
    { alleles: ['nMaj1_A', 'nMin1_A'], share: 'frac1_A' },
    { alleles: ['nMaj2_A', 'nMin2_A'], share: 'frac2_A' },
  ],
  example: {
    record:
      'chr=1 | startpos=7958594 | endpos=15094665 | ntot=1.74 | nMaj1_A=1 | nMin1_A=0 | frac1_A=0.25 | nMaj2_A=1 | nMin2_A=1 | frac2_A=0.75',
    row: 'chromosome=chr1 | start_position=7958594 | copy_number=1.75 | status=neutral',
  },
};
