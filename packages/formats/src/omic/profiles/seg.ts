import type { CopyNumberProfile } from '../profile.ts';

const samples = ['ID', "'ID'", 'Sample', 'SampleID', 'GDC_Aliquot', 'GDC_Aliquot_ID'];
const chromosomes = ['chrom', 'Chromosome', 'chr'];
const starts = ['loc.start', 'Start'];
const ends = ['loc.end', 'End'];
const means = ['seg.mean', 'Segment_Mean', 'segmean', 'log2'];
const copies = [
  ...['Corrected_Copy_Number', 'Copy_Number', 'CopyNumber', 'copy_num', 'CN', 'total_cn', 'TCN'],
  ...['absolute_cn', 'integer_cn', 'cn_total'],
];

/** SEG (DNAcopy, IGV, cBioPortal), segments of the GDC and of ichorCNA: a mean log2 ratio, or a number of copies. */
export const seg: CopyNumberProfile = {
  type: 'copynumber',
  program: 'SEG',
  recognised: [samples, chromosomes, starts, ends, [...means, ...copies]],
  not: ['depth', 'weight', 'spread'],
  sample: samples,
  chromosome: chromosomes,
  start: starts,
  end: ends,
  firstBase: 1,
  copies,
  log2: means,
  gene: ['gene', 'Hugo_Symbol'],
  example: {
    record: 'ID=S1 | chrom=23 | loc.start=1e+05 | loc.end=2e+05 | num.mark=10 | seg.mean=-1',
    row: 'sample_id=S1 | chromosome=chrX | start_position=100000 | copy_number=1 | status=partialLoss',
  },
};

/** SEG whose samples are named as in the lake; with copies it is a table of the lake. */
export const segOfSampleIds: CopyNumberProfile = {
  ...seg,
  recognised: ['sample_id', chromosomes, starts, ends, means],
  not: ['copy_number', 'status', 'depth', 'weight', 'spread'],
  sample: 'sample_id',
  example: {
    record: 'sample_id=S1 | chrom=1 | start=5 | end=9 | seg_mean=1',
    row: 'sample_id=S1 | chromosome=chr1 | start_position=5 | copy_number=4 | status=gain',
  },
};
