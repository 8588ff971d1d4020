import { type Header, RecordFault, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { SampleColumn } from '../sample-column.ts';
import { SegmentColumns } from './segment-columns.ts';
import { copiesAt } from './status.ts';

/** Copies of every gene from the GDC (`….gene_level_copy_number.v36.tsv`). Positions are those of the gene in GENCODE, from 1. */
export const gdcGenes: TabularFormat = {
  type: 'copynumber',
  name: 'gene-level copy number of the GDC',
  open: ({ header }) =>
    header.has('gene_id', 'gene_name', 'chromosome', 'start', 'end', 'copy_number') &&
    header.has('min_copy_number', 'max_copy_number')
      ? opened(header)
      : undefined,
};

function opened(header: Header): OpenFile {
  const [chromosome, start, end] = [header.place('chromosome'), header.place('start'), header.place('end')];
  const [id, name, copies] = [
    header.place('gene_id'),
    header.place('gene_name'),
    header.place('copy_number'),
  ];
  const sample = new SampleColumn(header);
  const segments = new SegmentColumns(
    header,
    sample,
    { chromosome, start, end, reported: [name, copies] },
    1,
  );
  let emptyCount = 0;
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      header.check(fields);
      const copyNumber = copiesAt(fields, copies);
      // The place is not checked: such a gene has no row.
      if (copyNumber === undefined) {
        emptyCount += 1;
        return [];
      }
      const gene = textAt(fields, name) ?? textAt(fields, id);
      if (gene === undefined) throw new RecordFault('the gene is missing', name + 1);
      return [{ ...segments.row(fields, () => copyNumber), gene }];
    },
    remarks: () => (emptyCount === 0 ? [] : [`${emptyCount} genes without a copy number were left out.`]),
  };
}
