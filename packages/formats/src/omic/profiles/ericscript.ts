import type { FusionProfile } from '../profile.ts';

/** EricScript's `results.total.tsv` and `results.filtered.tsv`. */
export const ericScript: FusionProfile = {
  type: 'fusion',
  program: 'EricScript',
  recognised: ['GeneName1', 'GeneName2', 'chr1', 'Breakpoint1', 'chr2', 'Breakpoint2', 'EricScore'],
  absent: ['Unable to predict breakpoint position'],
  genes: ['GeneName1', 'GeneName2'],
  ids: ['EnsemblGene1', 'EnsemblGene2'],
  chromosomes: ['chr1', 'chr2'],
  positions: ['Breakpoint1', 'Breakpoint2'],
  strands: ['strand1', 'strand2'],
  molecule: 'RNA',
  unread: ['JunctionSequence'],
  example: {
    record:
      'GeneName1=BCR | GeneName2=ABL1 | chr1=22 | Breakpoint1=23632600 | strand1=+ | chr2=9 | Breakpoint2=Unable to predict breakpoint position | strand2=+ | EnsemblGene1=ENSG00000186716 | EricScore=0.93',
    row: 'gene1=BCR | gene2=ABL1 | start_position1=23632600 | start_position2=-',
  },
};
