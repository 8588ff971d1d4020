import type { FusionProfile } from '../profile.ts';

/** Table of pizzly's fusions, which it flattens from its JSON. Breakpoints are in transcripts alone. */
export const pizzly: FusionProfile = {
  type: 'fusion',
  program: 'pizzly',
  recognised: ['geneA.name', 'geneB.name', 'paircount', 'splitcount'],
  genes: ['geneA.name', 'geneB.name'],
  ids: ['geneA.id', 'geneB.id'],
  molecule: 'RNA',
  unread: ['transcripts.list'],
  example: {
    record:
      'geneA.name=BCR | geneA.id=ENSG00000186716 | geneB.name=ABL1 | geneB.id=ENSG00000097007 | paircount=7 | splitcount=12',
    row: 'gene1=BCR | gene2=ABL1 | chromosome1=- | in_frame=unknown',
  },
};
