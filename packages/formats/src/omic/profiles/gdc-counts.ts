import type { ExpressionProfile } from '../profile.ts';

/** STAR counts of the GDC (`*.augmented_star_gene_counts.tsv`). */
export const gdcCounts: ExpressionProfile = {
  type: 'expression',
  program: 'GDC',
  recognised: ['gene_id', 'gene_name', 'gene_type', 'unstranded', 'tpm_unstranded'],
  gene: 'gene_id',
  symbol: 'gene_name',
  amount: 'tpm_unstranded',
  unit: 'tpm',
  count: 'unstranded',
  example: {
    record: 'gene_id=ENSG1 | gene_name=TP53 | gene_type=protein_coding | unstranded=7 | tpm_unstranded=1.5',
    row: 'gene_id=ENSG1 | gene_name=TP53 | expression=1.5 | expression_unit=tpm | raw_count=7',
  },
};

/** Counts of microRNA of the GDC (`*.mirnas.quantification.txt`). */
export const gdcMicroRna: ExpressionProfile = {
  type: 'expression',
  program: 'GDC microRNA',
  recognised: ['miRNA_ID', 'read_count', 'reads_per_million_miRNA_mapped'],
  gene: 'miRNA_ID',
  amount: 'reads_per_million_miRNA_mapped',
  unit: 'cpm',
  count: 'read_count',
  example: {
    record: 'miRNA_ID=hsa-let-7a-2 | read_count=236021 | reads_per_million_miRNA_mapped=27328.588',
    row: 'gene_id=hsa-let-7a-2 | expression=27328.588 | expression_unit=cpm | raw_count=236021',
  },
};
