import type { FusionProfile } from '../profile.ts';

/** Fusions of LINX (`*.linx.fusion.tsv`), whose places are in its table of breakends. */
export const linx: FusionProfile = {
  type: 'fusion',
  program: 'LINX',
  recognised: ['name', 'reportedType', 'phased', 'geneStart', 'geneEnd'],
  genes: ['geneStart', 'geneEnd'],
  frame: 'phased',
  molecule: 'DNA',
  example: {
    record: 'name=EML4_ALK | reportedType=KNOWN_PAIR | phased=INFRAME | geneStart=EML4 | geneEnd=ALK',
    row: 'gene1=EML4 | gene2=ALK | in_frame=yes | sequence_type=DNA',
  },
};
