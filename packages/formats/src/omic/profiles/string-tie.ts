import type { ExpressionProfile } from '../profile.ts';

/** Gene abundances of StringTie (`*.gene_abund.tab`). */
export const stringTie: ExpressionProfile = {
  type: 'expression',
  program: 'StringTie',
  recognised: ['Gene ID', 'Gene Name', 'Coverage', 'FPKM', 'TPM'],
  gene: 'Gene ID',
  symbol: 'Gene Name',
  amount: 'TPM',
  unit: 'tpm',
  example: {
    record: 'Gene ID=STRG.1 | Gene Name=- | Reference=chr17 | Coverage=3 | FPKM=4 | TPM=6.5',
    row: 'gene_id=STRG.1 | gene_name=- | expression=6.5 | expression_unit=tpm',
  },
};

/** Transcripts of StringTie and Ballgown (`t_data.ctab`). */
export const ballgown: ExpressionProfile = {
  type: 'expression',
  program: 'Ballgown',
  recognised: ['t_id', 't_name', 'gene_id', 'gene_name', 'cov', 'FPKM'],
  gene: 'gene_id',
  symbol: 'gene_name',
  transcript: 't_name',
  amount: 'FPKM',
  unit: 'fpkm',
  example: {
    record: 't_id=1 | chr=17 | t_name=ENST1 | gene_id=ENSG1 | gene_name=TP53 | cov=3 | FPKM=4.5',
    row: 'gene_id=ENSG1 | gene_name=TP53 | expression=4.5 | expression_unit=fpkm',
  },
};
