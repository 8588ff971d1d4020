import type { FusionProfile } from '../profile.ts';

/** Arriba's `fusions.tsv` and `fusions.discarded.tsv`. Between genes it names the nearest with their distances. */
export const arriba: FusionProfile = {
  type: 'fusion',
  program: 'Arriba',
  recognised: ['gene1', 'gene2', 'breakpoint1', 'breakpoint2'],
  genes: ['gene1', 'gene2'],
  neighbours: /\(\d+\)/,
  points: ['breakpoint1', 'breakpoint2'],
  effect: 'type',
  frame: 'reading_frame',
  molecule: 'RNA',
  unread: ['read_identifiers'],
  example: {
    record:
      'gene1=BCR | gene2=ABL1 | breakpoint1=22:23632600 | breakpoint2=9:133729451 | type=translocation | reading_frame=in-frame',
    row: 'gene1=BCR | gene2=ABL1 | start_position2=133729451 | effect=translocation | in_frame=yes',
  },
};
