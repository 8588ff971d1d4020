import type { ExpressionProfile } from '../profile.ts';

/** Transcripts of TALON (`*_talon_abundance.tsv`): a column of counts for each data set. */
export const talon: ExpressionProfile = {
  type: 'expression',
  program: 'TALON',
  recognised: ['annot_gene_id', 'annot_transcript_id', 'annot_gene_name', 'transcript_novelty'],
  gene: 'annot_gene_id',
  symbol: 'annot_gene_name',
  transcript: 'annot_transcript_id',
  amounts: [{ columns: /^(.+)$/, unit: 'count', isNormalized: false }],
  described: [
    ...['gene_ID', 'transcript_ID', 'annot_gene_id', 'annot_transcript_id', 'annot_gene_name'],
    ...['annot_transcript_name', 'n_exons', 'length', 'gene_novelty', 'transcript_novelty', 'ISM_subtype'],
  ],
  example: {
    record:
      'gene_ID=1 | annot_gene_id=ENSG1 | annot_transcript_id=ENST1 | annot_gene_name=TP53 | n_exons=11 | transcript_novelty=Known | S1=7',
    row: 'sample_id=S1 | gene_id=ENSG1 | gene_name=TP53 | raw_count=7 | expression_unit=count',
  },
};
