import { attributesOf, type Header, numberAt, RecordFault, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { checkSegment, chromosomeNeeded, positionNeeded } from '../genome.ts';
import { SampleColumn } from '../sample-column.ts';
import { statusOf } from './status.ts';

const columns = ['gene_name', 'chromosome', 'start', 'end', 'copy_number'];

/** Copies of every gene from the GDC (`….gene_level_copy_number.v36.tsv`). Positions are those of the gene in GENCODE, from 1. */
export const gdcGenes: TabularFormat = {
  type: 'copynumber',
  name: 'gene-level copy number of the GDC',
  open: ({ header }) =>
    header.has('gene_id', ...columns, 'min_copy_number', 'max_copy_number') ? opened(header) : undefined,
};

function opened(header: Header): OpenFile {
  const places = columns.map((name) => header.place(name));
  const [name = -1, chromosome = -1, start = -1, end = -1, copies = -1] = places;
  const id = header.place('gene_id');
  const sample = new SampleColumn(header);
  const attributes = attributesOf(header, [sample.place, ...places]);
  let emptyCount = 0;
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      header.check(fields);
      const copyNumber = numberAt(fields, copies);
      if (copyNumber === undefined) {
        emptyCount += 1;
        return [];
      }
      if (copyNumber < 0) throw new RecordFault('a copy number cannot be below 0', copies + 1);
      const gene = textAt(fields, name) ?? textAt(fields, id);
      if (gene === undefined) throw new RecordFault('the gene is missing', name + 1);
      const [startPosition, endPosition] = [positionNeeded(fields, start), positionNeeded(fields, end)];
      checkSegment(startPosition, endPosition, end);
      return [
        {
          sample_id: sample.at(fields),
          gene,
          copy_number: copyNumber,
          status: statusOf(copyNumber),
          attributes: attributes(fields),
          chromosome: chromosomeNeeded(fields, chromosome),
          start_position: startPosition,
          end_position: endPosition,
        },
      ];
    },
    remarks: () => (emptyCount === 0 ? [] : [`${emptyCount} genes without a copy number were left out.`]),
  };
}
