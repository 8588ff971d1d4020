import type { CopyNumberProfile } from '../profile.ts';

/** Segments of CNVkit, called or not (`.cns`, `.call.cns`). Starts count from 0, as in BED. */
export const cnvkit: CopyNumberProfile = {
  type: 'copynumber',
  program: 'CNVkit',
  recognised: ['chromosome', 'start', 'end', 'gene', 'log2', ['probes', 'cn']],
  chromosome: 'chromosome',
  start: 'start',
  end: 'end',
  firstBase: 0,
  copies: ['cn'],
  log2: 'log2',
  gene: 'gene',
  noGene: ['-', 'Antitarget', 'Background', 'CGH'],
  example: {
    record: 'chromosome=1 | start=0 | end=100 | gene=MYC | log2=1 | cn=4 | probes=7',
    row: 'gene=MYC | chromosome=chr1 | start_position=1 | end_position=100 | copy_number=4 | status=gain',
  },
};

/** Segments of CNVkit of several samples, without the columns about coverage that its bins have. */
export const cnvkitOfSamples: CopyNumberProfile = {
  ...cnvkit,
  recognised: ['chromosome', 'start', 'end', 'gene', 'log2', ['sample_id', 'sample']],
  not: ['copy_number', 'status', 'depth', 'weight', 'spread'],
  example: {
    record: 'sample=S1 | chromosome=1 | start=0 | end=100 | gene=MYC | log2=1',
    row: 'sample_id=S1 | gene=MYC | start_position=1 | copy_number=4 | status=gain',
  },
};
