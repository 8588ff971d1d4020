import type { FusionProfile } from '../profile.ts';

/** `fusion_candidates.final` of DRAGEN RNA. */
export const dragenFusion: FusionProfile = {
  type: 'fusion',
  program: 'DRAGEN',
  recognised: ['FusionGene', 'LeftBreakpoint', 'RightBreakpoint'],
  genes: { column: 'FusionGene', between: '--' },
  points: ['LeftBreakpoint', 'RightBreakpoint'],
  molecule: 'RNA',
  unread: ['ReadNames'],
  example: {
    record:
      'FusionGene=BCR--ABL1 | Score=0.98 | LeftBreakpoint=chr22:23632600:+ | RightBreakpoint=chr9:133729451:+',
    row: 'gene1=BCR | gene2=ABL1 | chromosome2=chr9 | effect=translocation',
  },
};
