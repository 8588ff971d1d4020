import { attributesOf, type Header, RecordFault, textAt } from '../../delimited/index.ts';
import { chromosomeName } from '../../vcf/chromosomes.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { SampleColumn } from '../sample-column.ts';
import { endColumns, type FusionEnd } from './rearrangement.ts';

/** R writes `X.` for the mark before the header. */
const firstGene = ['gene1', 'X.gene1'];

/** Arriba's `fusions.tsv` and `fusions.discarded.tsv`. */
export const arriba: TabularFormat = {
  type: 'fusion',
  name: 'Arriba',
  marksHeader: true,
  open: ({ header }) =>
    header.hasOne(...firstGene) && header.has('gene2', 'breakpoint1', 'breakpoint2')
      ? opened(header)
      : undefined,
};

const frames: ReadonlyMap<string, string> = new Map([
  ['in-frame', 'yes'],
  ['out-of-frame', 'no'],
  ['stop-codon', 'no'],
]);

function opened(header: Header): OpenFile {
  const others = ['gene2', 'breakpoint1', 'breakpoint2', 'type'].map((name) => header.place(name));
  const places = [header.place(...firstGene), ...others];
  const [gene1 = -1, gene2 = -1, breakpoint1 = -1, breakpoint2 = -1, type = -1] = places;
  const frame = header.place('reading_frame');
  const sample = new SampleColumn(header);
  const attributes = attributesOf(header, [sample.place, ...places, header.place('read_identifiers')]);
  return {
    isOneSample: sample.isMissing,
    sequenceType: 'RNA',
    rows(fields) {
      header.check(fields);
      const [left, right] = [textAt(fields, gene1), textAt(fields, gene2)];
      return [
        {
          sample_id: sample.at(fields),
          gene1: isBetweenGenes(left) ? undefined : left,
          gene2: isBetweenGenes(right) ? undefined : right,
          effect: textAt(fields, type),
          ...endColumns(breakpointAt(fields, breakpoint1), breakpointAt(fields, breakpoint2)),
          in_frame: frames.get(textAt(fields, frame) ?? '') ?? 'unknown',
          attributes: attributes(fields, {
            ...(isBetweenGenes(left) && { nearest_genes1: left }),
            ...(isBetweenGenes(right) && { nearest_genes2: right }),
          }),
        },
      ];
    },
  };
}

/** Returns whether a breakpoint is between genes: Arriba then names the nearest ones with their distances, `GENEA(12345),GENEB(678)`. */
const isBetweenGenes = (gene: string | undefined): boolean => /\(\d+\)/.test(gene ?? '');

/** `22:23632600` */
function breakpointAt(fields: readonly string[], place: number): FusionEnd {
  const [, chromosome = '', position = ''] = /^(.+):([1-9]\d{0,14})$/.exec(textAt(fields, place) ?? '') ?? [];
  if (chromosome === '') throw new RecordFault('the breakpoint is not like chr1:100', place + 1);
  return { chromosome: chromosomeName(chromosome), position: Number(position) };
}
