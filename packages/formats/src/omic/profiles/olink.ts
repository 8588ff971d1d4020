import type { ExpressionProfile } from '../profile.ts';

/** Normalized protein expression of Olink, a line a sample and protein. */
export const olink: ExpressionProfile = {
  type: 'expression',
  program: 'Olink',
  recognised: ['SampleID', 'UniProt', 'Assay', 'NPX'],
  sample: 'SampleID',
  gene: 'UniProt',
  symbol: 'Assay',
  amount: 'NPX',
  unit: 'npx',
  isSigned: true,
  isSparse: true,
  example: {
    record: 'SampleID=S1 | OlinkID=OID1 | UniProt=P01375 | Assay=TNF | Panel=Inflammation | NPX=-0.5',
    row: 'sample_id=S1 | gene_id=P01375 | gene_name=TNF | expression=-0.5 | expression_unit=npx',
  },
};
