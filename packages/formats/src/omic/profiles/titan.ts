import type { CopyNumberProfile } from '../profile.ts';

const starts = ['Start_Position(bp)', 'Start_Position.bp.', 'Start'];
const ends = ['End_Position(bp)', 'End_Position.bp.', 'End'];

/** Segments of TitanCNA (`*.segs.txt`, `*.titan.ichor.seg.txt`); R writes dots for the brackets of its names. */
export const titan: CopyNumberProfile = {
  type: 'copynumber',
  program: 'TitanCNA',
  recognised: ['Sample', 'Chromosome', starts, ends, 'TITAN_call', 'Copy_Number'],
  sample: 'Sample',
  chromosome: 'Chromosome',
  start: starts,
  end: ends,
  firstBase: 1,
  copies: ['Corrected_Copy_Number', 'Copy_Number'],
  example: {
    record:
      'Sample=S1 | Chromosome=1 | Start_Position(bp)=10 | End_Position(bp)=200 | TITAN_state=7 | TITAN_call=ASCNA | Copy_Number=4',
    row: 'sample_id=S1 | chromosome=chr1 | start_position=10 | copy_number=4 | status=gain',
  },
};
