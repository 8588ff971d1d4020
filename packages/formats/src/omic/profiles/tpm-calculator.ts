import type { ExpressionProfile } from '../profile.ts';

/** TPMCalculator's genes (`*_genes.out`). */
export const tpmCalculator: ExpressionProfile = {
  type: 'expression',
  program: 'TPMCalculator',
  recognised: ['Gene_Id', 'Reads', 'TPM', 'ExonReads', 'ExonTPM'],
  gene: 'Gene_Id',
  amount: 'ExonTPM',
  unit: 'tpm',
  count: 'ExonReads',
  example: {
    record: 'Gene_Id=TP53 | Chr=17 | Length=25000 | Reads=9 | TPM=2 | ExonReads=7 | ExonTPM=1.5',
    row: 'gene_id=TP53 | expression=1.5 | expression_unit=tpm | raw_count=7',
  },
};
