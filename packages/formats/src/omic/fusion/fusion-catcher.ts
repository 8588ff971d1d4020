import { attributesOf, type Header, RecordFault, symbolAt, textAt } from '../../delimited/index.ts';
import { chromosomeName } from '../../vcf/chromosomes.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { SampleColumn } from '../sample-column.ts';
import { endColumns, type FusionEnd, rearrangementOf } from './rearrangement.ts';

const partners = ['1(5end_fusion_partner)', '2(3end_fusion_partner)'] as const;
/** Columns of a partner, without its number. */
const columnsOf = (partner: string): [symbol: string, point: string, id: string] => {
  const [number = '', end = ''] = [partner.slice(0, 1), partner.slice(1)];
  return [`Gene_${number}_symbol${end}`, `Fusion_point_for_gene_${partner}`, `Gene_${number}_id${end}`];
};

/** `final-list_candidate-fusion-genes.txt` of FusionCatcher. */
export const fusionCatcher: TabularFormat = {
  type: 'fusion',
  name: 'FusionCatcher',
  open: ({ header }) =>
    header.has(...partners.flatMap((partner) => columnsOf(partner).slice(0, 2))) ? opened(header) : undefined,
};

const frames: ReadonlyMap<string, string> = new Map([
  ['in-frame', 'yes'],
  ['out-of-frame', 'no'],
]);

function opened(header: Header): OpenFile {
  const ends = partners.map((partner) => columnsOf(partner).map((name) => header.place(name)));
  const effect = header.place('Predicted_effect');
  const sample = new SampleColumn(header);
  const attributes = attributesOf(header, [sample.place, ...ends.flat(), header.place('Fusion_sequence')]);
  return {
    isOneSample: sample.isMissing,
    sequenceType: 'RNA',
    rows(fields) {
      header.check(fields);
      const [left, right] = ends.map((places) => endAt(fields, places)) as [GeneEnd, GeneEnd];
      return [
        {
          sample_id: sample.at(fields),
          gene1: left.gene,
          gene2: right.gene,
          effect: rearrangementOf(left, right),
          ...endColumns(left, right),
          in_frame: frames.get(textAt(fields, effect) ?? '') ?? 'unknown',
          attributes: attributes(fields, {
            gene_id1: left.id,
            gene_id2: right.id,
            strand1: left.strand,
            strand2: right.strand,
          }),
        },
      ];
    },
  };
}

type GeneEnd = FusionEnd & { gene: string | undefined; id: string | undefined };

/** Reads one partner; its breakpoint is like `22:23632600:+`. */
function endAt(fields: readonly string[], [symbol = -1, point = -1, id = -1]: readonly number[]): GeneEnd {
  const [, chromosome = '', position = '', strand] =
    /^(.+):([1-9]\d{0,14}):([-+])$/.exec(textAt(fields, point) ?? '') ?? [];
  if (chromosome === '') throw new RecordFault('the fusion point is not like 22:23632600:+', point + 1);
  const gene = symbolAt(fields, symbol) ?? textAt(fields, id);
  if (gene === undefined) throw new RecordFault('the gene is missing', symbol + 1);
  const place = { chromosome: chromosomeName(chromosome), position: Number(position), strand };
  return { ...place, gene, id: textAt(fields, id) };
}
