import type { FusionProfile } from '../profile.ts';

/** Fusions of Isofox: `*.isf.fusions.csv`, `*.isf.pass_fusions.csv`. */
export const isofoxFusion: FusionProfile = {
  type: 'fusion',
  program: 'Isofox',
  recognised: ['GeneNameUp', 'GeneNameDown', 'ChrUp', 'PosUp', 'ChrDown', 'PosDown'],
  genes: ['GeneNameUp', 'GeneNameDown'],
  ids: ['GeneIdUp', 'GeneIdDown'],
  chromosomes: ['ChrUp', 'ChrDown'],
  positions: ['PosUp', 'PosDown'],
  strands: ['StrandUp', 'StrandDown'],
  molecule: 'RNA',
  example: {
    record:
      'GeneNameUp=EML4 | GeneNameDown=ALK | ChrUp=2 | PosUp=42522656 | StrandUp=1 | ChrDown=2 | PosDown=29446394 | StrandDown=-1',
    row: 'gene1=EML4 | gene2=ALK | start_position2=29446394 | effect=inversion',
  },
};
