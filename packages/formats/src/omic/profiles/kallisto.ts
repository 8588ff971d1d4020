import type { ExpressionProfile } from '../profile.ts';

/** kallisto's `abundance.tsv`, and the `results.xprs` of eXpress with the same columns. */
export const kallisto: ExpressionProfile = {
  type: 'expression',
  program: 'kallisto',
  recognised: ['target_id', 'length', 'eff_length', 'est_counts', 'tpm'],
  gene: 'target_id',
  amount: 'tpm',
  unit: 'tpm',
  count: 'est_counts',
  example: {
    record: 'target_id=ENST00000269305.9 | length=2500 | eff_length=2300 | est_counts=10 | tpm=1.5',
    row: 'gene_id=ENST00000269305.9 | expression=1.5 | expression_unit=tpm | raw_count=10',
  },
};
