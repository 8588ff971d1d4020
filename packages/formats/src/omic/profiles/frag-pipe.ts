import type { ExpressionProfile } from '../profile.ts';

/** `combined_protein.tsv` of FragPipe: the normalized intensities, where it has them. */
export const fragPipe: ExpressionProfile = {
  type: 'expression',
  program: 'FragPipe',
  recognised: ['Protein', 'Protein ID', 'Entry Name', 'Gene', 'Indistinguishable Proteins'],
  gene: 'Protein ID',
  symbol: 'Gene',
  amounts: [
    { columns: /^(.+) MaxLFQ Intensity$/, unit: 'maxlfq' },
    { columns: /^(.+?)(?<!Unique|Total|Razor|MaxLFQ) Intensity$/, unit: 'intensity', isNormalized: false },
  ],
  isZeroAbsent: true,
  example: {
    record:
      'Protein=sp|P04637|P53_HUMAN | Protein ID=P04637 | Entry Name=P53_HUMAN | Gene=TP53 | S1 Intensity=9 | S1 MaxLFQ Intensity=1.5 | Indistinguishable Proteins=',
    row: 'sample_id=S1 | gene_id=P04637 | gene_name=TP53 | expression=1.5 | expression_unit=maxlfq',
  },
};
