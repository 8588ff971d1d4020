import type { FusionProfile } from '../profile.ts';

/** STAR-SEQR's candidates and breakpoints, whose positions count from 0 (its manual, "Outputs"). */
export const starSeqr: FusionProfile = {
  type: 'fusion',
  program: 'STAR-SEQR',
  recognised: ['LEFT_SYMBOL', 'RIGHT_SYMBOL', 'BRKPT_LEFT', 'BRKPT_RIGHT'],
  genes: ['LEFT_SYMBOL', 'RIGHT_SYMBOL'],
  ids: ['LEFT_ENSEMBL', 'RIGHT_ENSEMBL'],
  points: ['BRKPT_LEFT', 'BRKPT_RIGHT'],
  firstBase: 0,
  frame: 'FUSION_FRAME',
  molecule: 'RNA',
  unread: ['ASSEMBLED_CONTIGS'],
  example: {
    record: 'LEFT_SYMBOL=BCR | RIGHT_SYMBOL=ABL1 | BRKPT_LEFT=22:23632599:+ | BRKPT_RIGHT=9:133729450:+',
    row: 'gene1=BCR | gene2=ABL1 | start_position1=23632600 | effect=translocation',
  },
};
