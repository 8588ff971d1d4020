import type { ExpressionProfile } from '../profile.ts';

/** `proteinGroups.txt` of MaxQuant: the normalized intensities, where it has them. */
export const maxQuant: ExpressionProfile = {
  type: 'expression',
  program: 'MaxQuant',
  recognised: ['Protein IDs', 'Majority protein IDs'],
  gene: 'Majority protein IDs',
  symbol: 'Gene names',
  amounts: [
    { columns: /^LFQ intensity (.+)$/, unit: 'lfq_intensity' },
    { columns: /^iBAQ (.+)$/, unit: 'ibaq' },
    { columns: /^Intensity (.+)$/, unit: 'intensity', isNormalized: false },
  ],
  isZeroAbsent: true,
  leftOut: ['Reverse', 'Potential contaminant', 'Only identified by site'],
  example: {
    record:
      'Protein IDs=P04637;Q1 | Majority protein IDs=P04637;Q1 | Gene names=TP53 | Intensity S1=9 | LFQ intensity S1=1000',
    row: 'sample_id=S1 | gene_id=P04637 | gene_name=TP53 | expression=1000 | expression_unit=lfq_intensity',
  },
};
