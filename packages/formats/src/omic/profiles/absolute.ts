import type { CopyNumberProfile } from '../profile.ts';

/** Segments of ABSOLUTE (`*.segtab.txt`) and of the TCGA and CCLE, which it made. */
export const absolute: CopyNumberProfile = {
  type: 'copynumber',
  program: 'ABSOLUTE',
  recognised: ['sample', 'Chromosome', ['Start.bp', 'Start'], ['End.bp', 'End'], 'Modal_Total_CN'],
  chromosome: 'Chromosome',
  start: ['Start.bp', 'Start'],
  end: ['End.bp', 'End'],
  firstBase: 1,
  copies: ['Modal_Total_CN'],
  example: {
    record: 'Sample=S1 | Chromosome=1 | Start=10 | End=200 | Num_Probes=7 | Modal_Total_CN=1',
    row: 'sample_id=S1 | chromosome=chr1 | start_position=10 | copy_number=1 | status=partialLoss',
  },
};
