import { attributesOf, columnKey, type Header, textAt } from '../../delimited/index.ts';
import { InputError } from '../../input-error.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { checkSegment, chromosomeNeeded, positionNeeded } from '../genome.ts';
import { SampleColumn } from '../sample-column.ts';
import { sampleColumns } from './segments.ts';
import { Copies, statusOf } from './status.ts';

/** What stands for "no gene" (CNVkit's manual, "Target"). */
const noGene = new Set(['-', '.', '', 'Antitarget', 'Background', 'CGH']);

/**
 * Segments of CNVkit, called or not (`.cns`, `.call.cns`). Starts count from 0 there, as in BED. Its tables of bins (`.cnr`, `.cnn`) have the
 * same first columns: only segments say how many bins are in them.
 */
export const cnvkit: TabularFormat = {
  type: 'copynumber',
  name: 'CNVkit',
  open: ({ header }) => {
    if (!header.has('chromosome', 'start', 'end', 'gene', 'log2')) return undefined;
    if (header.hasOne('probes', 'cn')) return opened(header);
    if (header.hasOne('copy_number', 'status')) return undefined;
    // Segments put together of several samples, without what tells how bins are covered.
    if (!header.hasOne('depth', 'weight', 'spread')) {
      if (SampleColumn.isIn(header)) return opened(header);
      if (header.hasOne(...sampleColumns)) return undefined;
    }
    const table = columnKey(header.names[0] ?? '') === 'gene' ? 'genes (genemetrics)' : 'bins (.cnr, .cnn)';
    throw new InputError(
      `This table of CNVkit has neither probes nor cn, as those of ${table}: upload the segments (.cns or .call.cns).`,
      { line: 1 },
    );
  },
};

function opened(header: Header): OpenFile {
  const places = ['chromosome', 'start', 'end', 'gene'].map((name) => header.place(name));
  const [chromosome = -1, start = -1, end = -1, gene = -1] = places;
  const called = header.place('cn');
  const copies = new Copies(called, header.place('log2'));
  const sample = new SampleColumn(header);
  const attributes = attributesOf(header, [...places, called, sample.place]);
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      header.check(fields);
      const startPosition = positionNeeded(fields, start) + 1;
      const endPosition = positionNeeded(fields, end);
      checkSegment(startPosition, endPosition, end);
      const copyNumber = copies.at(fields);
      const segment = {
        sample_id: sample.at(fields),
        copy_number: copyNumber,
        status: statusOf(copyNumber),
        attributes: attributes(fields),
        chromosome: chromosomeNeeded(fields, chromosome),
        start_position: startPosition,
        end_position: endPosition,
      };
      return genesOf(textAt(fields, gene)).map((name) => ({ ...segment, gene: name }));
    },
    remarks: () => copies.remarks(),
  };
}

/** Each once; a segment without genes is one row as well. */
function genesOf(text: string | undefined): (string | undefined)[] {
  const names = new Set((text ?? '').split(',').map((name) => name.trim()));
  const genes = [...names].filter((name) => !noGene.has(name));
  return genes.length === 0 ? [undefined] : genes;
}
