import type { CopyNumberProfile } from '../profile.ts';

/** Segments of Sequenza. */
export const sequenza: CopyNumberProfile = {
  type: 'copynumber',
  program: 'Sequenza',
  recognised: ['chromosome', 'start.pos', 'end.pos', 'depth.ratio', 'CNt', 'A', 'B'],
  chromosome: 'chromosome',
  start: 'start.pos',
  end: 'end.pos',
  firstBase: 1,
  copies: ['CNt'],
  example: {
    record: 'chromosome=1 | start.pos=10 | end.pos=200 | depth.ratio=1.2 | CNt=6 | A=4 | B=2',
    row: 'chromosome=chr1 | start_position=10 | end_position=200 | copy_number=6 | status=amplification',
  },
};
