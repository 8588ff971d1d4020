import { type Header, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { SampleColumn } from '../sample-column.ts';
import { SegmentColumns } from './segment-columns.ts';
import { Copies } from './status.ts';

const names = {
  sample: ['ID', "'ID'", 'Sample', 'SampleID', 'GDC_Aliquot', 'GDC_Aliquot_ID'],
  chromosome: ['chrom', 'Chromosome', 'chr'],
  start: ['loc.start', 'Start'],
  end: ['loc.end', 'End'],
  log2: ['seg.mean', 'Segment_Mean', 'segmean', 'log2', 'seg_mean'],
  copies: [
    'Corrected_Copy_Number',
    'Copy_Number',
    'CopyNumber',
    'copy_num',
    'CN',
    'total_cn',
    'TCN',
    'absolute_cn',
    'integer_cn',
    'cn_total',
  ],
  gene: ['gene', 'Hugo_Symbol'],
} as const;

const ownSample = 'sample_id';

/** Columns of the owner of a segment. */
export const sampleColumns = names.sample;

/** SEG (DNAcopy, IGV, cBioPortal) and the segments of the GDC: no genes, a mean log2 ratio or a number of copies. */
export const segments: TabularFormat = {
  type: 'copynumber',
  name: 'SEG',
  open: ({ header }) => {
    const hasMean = header.hasOne(...names.log2);
    const isOurs = header.hasOne('copy_number', 'status');
    const isNamed = header.hasOne(...names.sample) || (hasMean && !isOurs && header.has(ownSample));
    const isPlaced = [names.chromosome, names.start, names.end].every((column) => header.hasOne(...column));
    const isSegments = isNamed && isPlaced && (hasMean || header.hasOne(...names.copies));
    return isSegments ? opened(header) : undefined;
  },
};

function opened(header: Header): OpenFile {
  const placeOf = (column: keyof typeof names): number => header.place(...names[column]);
  // R writes names in quotation marks by default.
  const sample = new SampleColumn(header, [...names.sample, ownSample], { isQuoted: true });
  const [chromosome, start, end] = [placeOf('chromosome'), placeOf('start'), placeOf('end')];
  // PureCN writes copies after the columns of DNAcopy, and a mean without regard to purity.
  const pureCn = header.has('num.mark', 'seg.mean') ? header.place('C') : -1;
  const [called, gene] = [header.hasOne(...names.copies) ? placeOf('copies') : pureCn, placeOf('gene')];
  const copies = new Copies(called, placeOf('log2'));
  const columns = new SegmentColumns(header, sample, { chromosome, start, end, reported: [called, gene] }, 1);
  return {
    rows(fields) {
      return [{ ...columns.row(fields, (line) => copies.at(line)), gene: textAt(fields, gene) }];
    },
    remarks: () => copies.remarks(),
  };
}
