import type { CopyNumberProfile } from '../profile.ts';

/** Segments of DepMap (`OmicsCNSegments*.csv`), whose means are ratios and no logarithms. */
export const depMapSegments: CopyNumberProfile = {
  type: 'copynumber',
  program: 'segments of DepMap',
  recognised: [
    ['ModelID', 'ProfileID', 'SequencingID'],
    'Chromosome',
    'Start',
    'End',
    'SegmentMean',
    'NumProbes',
  ],
  sample: ['ModelID', 'ProfileID', 'SequencingID'],
  chromosome: 'Chromosome',
  start: 'Start',
  end: 'End',
  firstBase: 1,
  ratio: 'SegmentMean',
  example: {
    record:
      'ModelID=ACH-000001 | Chromosome=1 | Start=10 | End=200 | SegmentMean=0.5 | NumProbes=7 | Status=-',
    row: 'sample_id=ACH-000001 | chromosome=chr1 | start_position=10 | copy_number=1 | status=partialLoss',
  },
};
