import type { FusionProfile } from '../profile.ts';

/** STAR-Fusion, CTAT-LR-Fusion and FusionInspector: `*.fusion_predictions.tsv`. */
export const starFusion: FusionProfile = {
  type: 'fusion',
  program: 'STAR-Fusion',
  recognised: ['FusionName', 'LeftGene', 'LeftBreakpoint', 'RightGene', 'RightBreakpoint'],
  genes: ['LeftGene', 'RightGene'],
  idAfter: '^',
  points: ['LeftBreakpoint', 'RightBreakpoint'],
  frame: 'PROT_FUSION_TYPE',
  molecule: 'RNA',
  unread: ['FusionName', 'JunctionReads', 'SpanningFrags'],
  example: {
    record:
      'FusionName=BCR--ABL1 | LeftGene=BCR^ENSG00000186716.21 | LeftBreakpoint=chr22:23290413:+ | RightGene=ABL1^ENSG00000097007.19 | RightBreakpoint=chr9:130854064:+ | PROT_FUSION_TYPE=INFRAME',
    row: 'gene1=BCR | gene2=ABL1 | start_position1=23290413 | effect=translocation | in_frame=yes',
  },
};

/** STAR-Fusion before version 1.0, where the numbers of reads are before their names in columns of the same names. */
export const starFusionBefore1: FusionProfile = {
  ...starFusion,
  recognised: ['fusion_name', 'LeftGene', 'LeftBreakpoint', 'RightGene', 'RightBreakpoint'],
  unread: ['fusion_name'],
  example: {
    record:
      'fusion_name=A--B | JunctionReads=13 | LeftGene=A^E1 | LeftBreakpoint=chr5:10:- | RightGene=B^E2 | RightBreakpoint=chr11:77:+',
    row: 'gene1=A | gene2=B | start_position1=10 | effect=translocation | in_frame=unknown',
  },
};
