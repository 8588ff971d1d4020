import { attributesOf, type Header, RecordFault, textAt } from '../../delimited/index.ts';
import { chromosomeName } from '../../vcf/chromosomes.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { SampleColumn } from '../sample-column.ts';
import { endColumns, type FusionEnd, rearrangementOf } from './rearrangement.ts';

/** Before version 1.0 with underscores; R writes `X.` for the mark before the header. */
const fusionNames = ['FusionName', 'fusion_name', 'X.FusionName', 'X.fusion_name'];
/** Columns of DRAGEN with both genes: `BCR--ABL1`. */
const dragenNames = ['FusionGene', 'X.FusionGene'];

/** `star-fusion.fusion_predictions.tsv`, abridged or not, with or without its coding effect; `fusion_candidates.final` of DRAGEN. */
export const starFusion: TabularFormat = {
  type: 'fusion',
  name: 'STAR-Fusion',
  marksHeader: true,
  open: ({ header }) =>
    header.has('LeftBreakpoint', 'RightBreakpoint') &&
    (header.hasOne(...dragenNames) || (header.hasOne(...fusionNames) && header.has('LeftGene', 'RightGene')))
      ? opened(header)
      : undefined,
};

const frames: ReadonlyMap<string, string> = new Map([
  ['INFRAME', 'yes'],
  ['FRAMESHIFT', 'no'],
]);

function opened(header: Header): OpenFile {
  const places = ['LeftGene', 'LeftBreakpoint', 'RightGene', 'RightBreakpoint'].map((name) =>
    header.place(name),
  );
  const [leftGene = -1, leftBreakpoint = -1, rightGene = -1, rightBreakpoint = -1] = places;
  const frame = header.place('PROT_FUSION_TYPE');
  const both = header.place(...dragenNames);
  const unwanted = [both, header.place(...fusionNames), header.place('ReadNames'), ...readNames(header)];
  const sample = new SampleColumn(header);
  const attributes = attributesOf(header, [sample.place, ...places, ...unwanted]);
  return {
    isOneSample: sample.isMissing,
    sequenceType: 'RNA',
    rows(fields) {
      header.check(fields);
      const [[gene1, id1], [gene2, id2]] =
        both < 0 ? [geneAt(fields, leftGene), geneAt(fields, rightGene)] : genesAt(fields, both);
      const left = breakpointAt(fields, leftBreakpoint);
      const right = breakpointAt(fields, rightBreakpoint);
      return [
        {
          sample_id: sample.at(fields),
          gene1,
          gene2,
          effect: rearrangementOf(left, right),
          ...endColumns(left, right),
          in_frame: frames.get(textAt(fields, frame) ?? '') ?? 'unknown',
          attributes: attributes(fields, {
            gene_id1: id1,
            gene_id2: id2,
            strand1: left.strand,
            strand2: right.strand,
          }),
        },
      ];
    },
  };
}

/**
 * Columns with names of reads, which are no attributes of a fusion. Before version 1.0 the first columns of these names are their
 * numbers; later versions have separate columns for these.
 */
function readNames(header: Header): number[] {
  const isOld = header.hasOne('fusion_name', 'X.fusion_name');
  return ['JunctionReads', 'SpanningFrags'].flatMap((name) => {
    const places = header.names.flatMap((one, place) => (one === name ? [place] : []));
    return isOld ? places.slice(1) : places;
  });
}

/** `BCR--ABL1` */
function genesAt(fields: readonly string[], place: number): [[string, undefined], [string, undefined]] {
  const text = textAt(fields, place) ?? '';
  const at = text.lastIndexOf('--');
  const [left, right] = [text.slice(0, Math.max(at, 0)), text.slice(at + 2)];
  if (left === '' || right === '') throw new RecordFault('the genes are not like BCR--ABL1', place + 1);
  return [
    [left, undefined],
    [right, undefined],
  ];
}

/** `BCR^ENSG00000186716.21` */
function geneAt(fields: readonly string[], place: number): [symbol: string, id: string | undefined] {
  const text = textAt(fields, place);
  if (text === undefined) throw new RecordFault('the gene is missing', place + 1);
  const [symbol = '', id] = text.split('^');
  return [symbol, id];
}

/** `chr22:23290413:+` */
function breakpointAt(fields: readonly string[], place: number): FusionEnd {
  const [, chromosome = '', position = '', strand] =
    /^(.+):([1-9]\d{0,14})(?::([-+.*]))?$/.exec(textAt(fields, place) ?? '') ?? [];
  if (chromosome === '') throw new RecordFault('the breakpoint is not like chr1:100:+', place + 1);
  const isKnown = strand === '+' || strand === '-';
  return {
    chromosome: chromosomeName(chromosome),
    position: Number(position),
    strand: isKnown ? strand : undefined,
  };
}
