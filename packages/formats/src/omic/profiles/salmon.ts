import type { ExpressionProfile } from '../profile.ts';

/** Salmon's `quant.sf` and `quant.genes.sf`, and those of DRAGEN. */
export const salmon: ExpressionProfile = {
  type: 'expression',
  program: 'Salmon',
  recognised: ['Name', 'Length', 'EffectiveLength', 'TPM', 'NumReads'],
  gene: 'Name',
  amount: 'TPM',
  unit: 'tpm',
  count: 'NumReads',
  example: {
    record: 'Name=ENST00000269305.9 | Length=2500 | EffectiveLength=2300 | TPM=1.5 | NumReads=10.2',
    row: 'gene_id=ENST00000269305.9 | expression=1.5 | expression_unit=tpm | raw_count=10.2',
  },
};

/** Sailfish's `quant.sf`, without effective lengths. */
export const sailfish: ExpressionProfile = {
  ...salmon,
  program: 'Sailfish',
  recognised: [['Name', 'Transcript'], 'Length', 'TPM', ['NumReads', 'EstimatedNumReads']],
  gene: ['Name', 'Transcript'],
  count: ['NumReads', 'EstimatedNumReads'],
  example: {
    record: 'Name=ENST00000269305.9 | Length=2500 | TPM=1.5 | NumReads=10.2',
    row: 'gene_id=ENST00000269305.9 | expression=1.5 | raw_count=10.2',
  },
};
