import { attributesOf, type Header, positionAt, RecordFault, textAt } from '../../delimited/index.ts';
import type { OpenFile, Opening, TabularFormat } from '../format.ts';
import { checkSegment, chromosomeAt } from '../genome.ts';
import { givenAttributes } from '../given-attributes.ts';
import { refuseHiddenSamples, SampleColumn } from '../sample-column.ts';
import { copiesAt, copyNumberStatuses, statusOf } from './status.ts';

const columns = [
  'gene',
  'copy_number',
  'status',
  'attributes',
  'chromosome',
  'start_position',
  'end_position',
  'interpretation',
  'copy_number_set_id',
];

/** Columns with the gene's name; the first of several counts. */
const geneNames = ['gene', 'gene_name', 'gene_symbol', 'symbol', 'hugo_symbol'];

/** A table with the columns of `copynumber`, in any order; other columns go into `attributes`. */
export const ownCopyNumber: TabularFormat = {
  type: 'copynumber',
  name: 'copy number',
  open: ({ header, records }) =>
    header.hasOne('copy_number', 'status') && header.hasOne('gene', 'chromosome')
      ? opened(header, records)
      : undefined,
};

function opened(header: Header, records: Opening['records']): OpenFile {
  const places = columns.map((name) => (name === 'gene' ? header.place(...geneNames) : header.place(name)));
  const [gene = -1, number = -1, status = -1, attributes = -1, ...others] = places;
  const [chromosome = -1, start = -1, end = -1, interpretation = -1] = others;
  const sample = new SampleColumn(header);
  if (sample.isMissing) refuseHiddenSamples(header, records, [gene, chromosome, start, end], places);
  const rest = attributesOf(header, [sample.place, ...places]);
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      header.check(fields);
      const copyNumber = copiesAt(fields, number);
      const startPosition = positionAt(fields, start);
      if (startPosition === 0) throw new RecordFault('start_position counts from 1', start + 1);
      const endPosition = positionAt(fields, end);
      checkSegment(startPosition, endPosition, end);
      return [
        {
          sample_id: sample.at(fields),
          gene: textAt(fields, gene),
          copy_number: copyNumber,
          status: statusAt(fields, status) ?? statusOf(copyNumber),
          attributes: rest(fields, givenAttributes(fields, attributes)),
          chromosome: chromosomeAt(fields, chromosome),
          start_position: startPosition,
          end_position: endPosition,
          interpretation: textAt(fields, interpretation),
        },
      ];
    },
    remarks: () => (start < 0 ? unusedPositions(header) : []),
  };
}

/** Warns of positions whose base, 0 or 1, is unknown. */
function unusedPositions({ names }: Header): string[] {
  const columns = names.filter((name) => /^(?:loc[_.]?|seg(?:ment)?[_.]?)?(?:start|end)/i.test(name));
  if (columns.length === 0) return [];
  return [
    `These columns were kept in attributes: ${columns.join(', ')}. Positions are taken from start_position and end_position, which count from 1.`,
  ];
}

function statusAt(fields: readonly string[], place: number): string | undefined {
  const text = textAt(fields, place);
  if (text === undefined) return undefined;
  const status = copyNumberStatuses.find((name) => name.toLowerCase() === text.toLowerCase());
  if (!status) throw new RecordFault(`status has to be one of ${copyNumberStatuses.join(', ')}`, place + 1);
  return status;
}
