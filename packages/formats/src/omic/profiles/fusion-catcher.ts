import type { FusionProfile } from '../profile.ts';

const [five, three] = ['(5end_fusion_partner)', '(3end_fusion_partner)'];

/** `final-list_candidate-fusion-genes.txt` of FusionCatcher. */
export const fusionCatcher: FusionProfile = {
  type: 'fusion',
  program: 'FusionCatcher',
  recognised: [`Gene_1_symbol${five}`, `Gene_2_symbol${three}`, `Fusion_point_for_gene_1${five}`],
  genes: [`Gene_1_symbol${five}`, `Gene_2_symbol${three}`],
  ids: [`Gene_1_id${five}`, `Gene_2_id${three}`],
  points: [`Fusion_point_for_gene_1${five}`, `Fusion_point_for_gene_2${three}`],
  frame: 'Predicted_effect',
  molecule: 'RNA',
  unread: ['Fusion_sequence'],
  example: {
    record:
      'Gene_1_symbol(5end_fusion_partner)=BCR | Gene_2_symbol(3end_fusion_partner)=ABL1 | Fusion_point_for_gene_1(5end_fusion_partner)=22:23632600:+ | Fusion_point_for_gene_2(3end_fusion_partner)=9:133729451:+ | Predicted_effect=in-frame',
    row: 'gene1=BCR | gene2=ABL1 | start_position1=23632600 | effect=translocation | in_frame=yes',
  },
};
