import type { FusionProfile } from '../profile.ts';

/** `jaffa_results.csv` of JAFFA and JAFFAL. Its bases count from 1. */
export const jaffa: FusionProfile = {
  type: 'fusion',
  program: 'JAFFA',
  recognised: ['fusion genes', 'chrom1', 'base1', 'chrom2', 'base2'],
  genes: { column: 'fusion genes', between: ':' },
  chromosomes: ['chrom1', 'chrom2'],
  positions: ['base1', 'base2'],
  strands: ['strand1', 'strand2'],
  frame: 'inframe',
  molecule: 'RNA',
  example: {
    record:
      'sample=S1 | fusion genes=BCR:ABL1 | chrom1=chr22 | base1=23632600 | strand1=+ | chrom2=chr9 | base2=133729451 | strand2=+ | inframe=TRUE',
    row: 'sample_id=S1 | gene1=BCR | gene2=ABL1 | start_position2=133729451 | in_frame=yes',
  },
};
