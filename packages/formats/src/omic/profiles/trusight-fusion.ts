import type { FusionProfile } from '../profile.ts';

/** Fusions of Illumina's TruSight Oncology 500 (`*_AllFusions.csv`). */
export const trusightFusion: FusionProfile = {
  type: 'fusion',
  program: 'TruSight Oncology 500',
  recognised: ['Gene A', 'Gene B', 'Gene A Breakpoint', 'Gene B Breakpoint'],
  genes: ['Gene A', 'Gene B'],
  points: ['Gene A Breakpoint', 'Gene B Breakpoint'],
  molecule: 'RNA',
  example: {
    record:
      'Caller=SpliceGirl | Gene A=EML4 | Gene B=ALK | Gene A Breakpoint=chr2:42522656 | Gene B Breakpoint=chr2:29446394 | Filter=PASS',
    row: 'gene1=EML4 | gene2=ALK | start_position1=42522656 | chromosome2=chr2',
  },
};
