import type { ExpressionProfile } from '../profile.ts';

/** `report.pg_matrix.tsv` of DIA-NN: a column for each raw file. */
export const diaNn: ExpressionProfile = {
  type: 'expression',
  program: 'DIA-NN',
  recognised: ['Protein.Group', 'Genes', 'First.Protein.Description'],
  gene: 'Protein.Group',
  symbol: 'Genes',
  amounts: [{ columns: /^(.+)$/, unit: 'maxlfq' }],
  described: [
    ...['Protein.Group', 'Protein.Ids', 'Protein.Names', 'Genes', 'First.Protein.Description'],
    ...['N.Sequences', 'N.Proteotypic.Sequences'],
  ],
  isZeroAbsent: true,
  example: {
    record:
      'Protein.Group=P04637 | Protein.Names=P53_HUMAN | Genes=TP53 | First.Protein.Description=p53 | D:\\runs\\S1.raw=1.5',
    row: 'sample_id=S1 | gene_id=P04637 | gene_name=TP53 | expression=1.5 | expression_unit=maxlfq',
  },
};
