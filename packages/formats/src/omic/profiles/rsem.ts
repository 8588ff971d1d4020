import type { ExpressionProfile } from '../profile.ts';

/** RSEM's `*.genes.results`. */
export const rsem: ExpressionProfile = {
  type: 'expression',
  program: 'RSEM',
  recognised: ['gene_id', 'transcript_id(s)', 'expected_count', 'TPM'],
  gene: 'gene_id',
  amount: 'TPM',
  unit: 'tpm',
  count: 'expected_count',
  example: {
    record: 'gene_id=ENSG1_TP53 | transcript_id(s)=ENST1,ENST2 | expected_count=7.5 | TPM=1.25 | FPKM=2',
    row: 'gene_id=ENSG1 | gene_name=TP53 | expression=1.25 | expression_unit=tpm | raw_count=7.5',
  },
};

/** RSEM's `*.isoforms.results`. */
export const rsemIsoforms: ExpressionProfile = {
  ...rsem,
  recognised: ['transcript_id', 'gene_id', 'expected_count', 'TPM', 'IsoPct'],
  transcript: 'transcript_id',
  example: {
    record: 'transcript_id=ENST1 | gene_id=ENSG1 | expected_count=7.5 | TPM=1.25 | FPKM=2 | IsoPct=40',
    row: 'gene_id=ENSG1 | expression=1.25 | expression_unit=tpm | raw_count=7.5',
  },
};
