import type { CopyNumberProfile } from '../profile.ts';

/** Copies of every gene from the GDC (`….gene_level_copy_number.v36.tsv`), with the position of the gene in GENCODE. */
export const gdcGenes: CopyNumberProfile = {
  type: 'copynumber',
  program: 'gene-level copy number of the GDC',
  recognised: ['gene_id', 'gene_name', 'chromosome', 'start', 'end', 'copy_number', 'min_copy_number'],
  chromosome: 'chromosome',
  start: 'start',
  end: 'end',
  firstBase: 1,
  copies: ['copy_number'],
  gene: ['gene_name', 'gene_id'],
  isOfGenes: true,
  example: {
    record:
      'gene_id=ENSG00000133703.14 | gene_name=KRAS | chromosome=chr12 | start=25205246 | end=25250929 | copy_number=4 | min_copy_number=3',
    row: 'gene=KRAS | chromosome=chr12 | start_position=25205246 | copy_number=4 | status=gain',
  },
};
