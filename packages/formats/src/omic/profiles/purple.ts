import type { CopyNumberProfile } from '../profile.ts';

/** Segments of PURPLE (`*.purple.cnv.somatic.tsv`), whose estimates may fall below 0. */
export const purple: CopyNumberProfile = {
  type: 'copynumber',
  program: 'PURPLE',
  recognised: ['chromosome', 'start', 'end', 'copyNumber', 'minorAlleleCopyNumber', 'bafCount'],
  chromosome: 'chromosome',
  start: 'start',
  end: 'end',
  firstBase: 1,
  copies: ['copyNumber'],
  isEstimate: true,
  example: {
    record:
      'chromosome=chr9 | start=21900000 | end=22000000 | copyNumber=-0.12 | bafCount=0 | minorAlleleCopyNumber=-0.06',
    row: 'chromosome=chr9 | start_position=21900000 | copy_number=0 | status=loss',
  },
};

/** Genes of PURPLE (`*.purple.cnv.gene.tsv`), with the lowest number of copies within each. */
export const purpleGenes: CopyNumberProfile = {
  ...purple,
  program: 'PURPLE (genes)',
  recognised: ['chromosome', 'start', 'end', 'gene', 'minCopyNumber', 'maxCopyNumber'],
  copies: ['minCopyNumber'],
  gene: 'gene',
  isOfGenes: true,
  example: {
    record: 'gene=MYC | chromosome=chr8 | start=10 | end=20 | minCopyNumber=6.5 | maxCopyNumber=7',
    row: 'gene=MYC | chromosome=chr8 | start_position=10 | copy_number=6.5 | status=amplification',
  },
};
