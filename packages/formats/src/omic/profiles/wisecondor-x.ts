import type { CopyNumberProfile } from '../profile.ts';

/** Segments and aberrations of WisecondorX (`*_segments.bed`, `*_aberrations.bed`). */
export const wisecondorX: CopyNumberProfile = {
  type: 'copynumber',
  program: 'WisecondorX',
  recognised: ['chr', 'start', 'end', 'ratio', 'zscore'],
  not: ['id'],
  chromosome: 'chr',
  start: 'start',
  end: 'end',
  firstBase: 'seen',
  log2: 'ratio',
  example: {
    record: 'chr=1 | start=0 | end=5000000 | ratio=1 | zscore=12.5 | type=gain',
    row: 'chromosome=chr1 | start_position=1 | end_position=5000000 | copy_number=4 | status=gain',
  },
};
