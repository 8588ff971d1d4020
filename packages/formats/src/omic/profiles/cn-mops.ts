import type { CopyNumberProfile } from '../profile.ts';

/** Ranges of cn.mops, as R writes them: integer copies as CN0 to CN8. */
export const cnMops: CopyNumberProfile = {
  type: 'copynumber',
  program: 'cn.mops',
  recognised: ['seqnames', 'start', 'end', 'sampleName', 'CN'],
  sample: 'sampleName',
  chromosome: 'seqnames',
  start: 'start',
  end: 'end',
  firstBase: 1,
  copies: ['CN'],
  example: {
    record: 'seqnames=chr1 | start=10 | end=200 | width=191 | sampleName=S1 | median=-1 | CN=CN1',
    row: 'sample_id=S1 | chromosome=chr1 | start_position=10 | copy_number=1 | status=partialLoss',
  },
};
