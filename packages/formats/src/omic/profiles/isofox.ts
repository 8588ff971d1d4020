import type { ExpressionProfile } from '../profile.ts';

/** Genes of Isofox (`*.isf.gene_data.csv`). */
export const isofox: ExpressionProfile = {
  type: 'expression',
  program: 'Isofox',
  recognised: ['GeneId', 'GeneName', 'SplicedFragments', 'AdjTPM'],
  gene: 'GeneId',
  symbol: 'GeneName',
  amount: 'AdjTPM',
  unit: 'tpm',
  example: {
    record: 'GeneId=ENSG1 | GeneName=TP53 | SplicedFragments=9 | RawTPM=2 | AdjTPM=1.5',
    row: 'gene_id=ENSG1 | gene_name=TP53 | expression=1.5 | expression_unit=tpm',
  },
};
