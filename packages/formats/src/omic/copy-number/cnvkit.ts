import { columnKey, type Header, textAt } from '../../delimited/index.ts';
import { InputError } from '../../input-error.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { SampleColumn } from '../sample-column.ts';
import { SegmentColumns } from './segment-columns.ts';
import { sampleColumns } from './segments.ts';
import { Copies } from './status.ts';

/** Names for "no gene" (CNVkit's manual, "Target"). */
const noGene = new Set(['-', '.', '', 'Antitarget', 'Background', 'CGH']);

/**
 * Segments of CNVkit, called or not (`.cns`, `.call.cns`). Starts count from 0 there, as in BED. Its tables of bins (`.cnr`,
 * `.cnn`) have the same first columns: only segments have a number of bins.
 */
export const cnvkit: TabularFormat = {
  type: 'copynumber',
  name: 'CNVkit',
  open: ({ header }) => {
    if (!header.has('chromosome', 'start', 'end', 'gene', 'log2')) return undefined;
    if (header.hasOne('probes', 'cn')) return opened(header);
    if (header.hasOne('copy_number', 'status')) return undefined;
    // Segments of several samples, without the columns about coverage of bins.
    if (!header.hasOne('depth', 'weight', 'spread')) {
      if (SampleColumn.isIn(header)) return opened(header);
      if (header.hasOne(...sampleColumns)) return undefined;
    }
    const table = columnKey(header.names[0] ?? '') === 'gene' ? 'genes (genemetrics)' : 'bins (.cnr, .cnn)';
    throw new InputError(
      `This CNVkit table has neither probes nor cn, so it seems to hold ${table}: upload the segments (.cns or .call.cns).`,
      { line: 1 },
    );
  },
};

function opened(header: Header): OpenFile {
  const [chromosome, start, end] = [header.place('chromosome'), header.place('start'), header.place('end')];
  const [gene, called] = [header.place('gene'), header.place('cn')];
  const copies = new Copies(called, header.place('log2'));
  const sample = new SampleColumn(header);
  const segments = new SegmentColumns(
    header,
    sample,
    { chromosome, start, end, reported: [gene, called] },
    0,
  );
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      const segment = segments.row(fields, (line) => copies.at(line));
      return genesOf(textAt(fields, gene)).map((name) => ({ ...segment, gene: name }));
    },
    remarks: () => copies.remarks(),
  };
}

/** Genes, each once; a segment without genes is one row as well. */
function genesOf(text: string | undefined): (string | undefined)[] {
  const names = new Set((text ?? '').split(',').map((name) => name.trim()));
  const genes = [...names].filter((name) => !noGene.has(name));
  return genes.length === 0 ? [undefined] : genes;
}
