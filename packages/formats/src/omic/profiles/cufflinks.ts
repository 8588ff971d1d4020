import type { ExpressionProfile } from '../profile.ts';

/** Cufflinks' `genes.fpkm_tracking` and `isoforms.fpkm_tracking`. */
export const cufflinks: ExpressionProfile = {
  type: 'expression',
  program: 'Cufflinks',
  recognised: ['tracking_id', 'gene_id', 'gene_short_name', 'FPKM', 'FPKM_status'],
  absent: ['-'],
  gene: 'gene_id',
  symbol: 'gene_short_name',
  transcript: 'nearest_ref_id',
  amount: 'FPKM',
  unit: 'fpkm',
  // FAIL, HIDATA and LOWDATA have an FPKM of 0 that was not estimated (manual, "FPKM tracking format").
  state: { column: 'FPKM_status', is: 'OK' },
  example: {
    record:
      'tracking_id=ENSG1 | class_code=- | nearest_ref_id=- | gene_id=ENSG1 | gene_short_name=TP53 | FPKM=4.5 | FPKM_status=OK',
    row: 'gene_id=ENSG1 | gene_name=TP53 | expression=4.5 | expression_unit=fpkm',
  },
};
