import { attributesOf, type Header, RecordFault, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { chromosomeAt, positionFrom1 } from '../genome.ts';
import { SampleColumn } from '../sample-column.ts';
import { endColumns, type FusionEnd, rearrangementOf } from './rearrangement.ts';

const genes = 'fusion genes';

/** `jaffa_results.csv` of JAFFA and JAFFAL. Its bases count from 1. */
export const jaffa: TabularFormat = {
  type: 'fusion',
  name: 'JAFFA',
  open: ({ header }) =>
    header.has(genes, 'chrom1', 'base1', 'chrom2', 'base2') ? opened(header) : undefined,
};

const frames: ReadonlyMap<string, string> = new Map([
  ['TRUE', 'yes'],
  ['FALSE', 'no'],
]);

function opened(header: Header): OpenFile {
  const ends = ['1', '2'].map((end) =>
    ['chrom', 'base', 'strand'].map((name) => header.place(`${name}${end}`)),
  );
  const [named, frame] = [header.place(genes), header.place('inframe')];
  const sample = new SampleColumn(header);
  const attributes = attributesOf(header, [sample.place, named, frame, ...ends.flat()]);
  return {
    isOneSample: sample.isMissing,
    sequenceType: 'RNA',
    rows(fields) {
      header.check(fields);
      const [, gene1, gene2] = /^([^:]+):([^:]+)$/.exec(textAt(fields, named) ?? '') ?? [];
      if (gene1 === undefined) throw new RecordFault('the genes are not like BCR:ABL1', named + 1);
      const [left, right] = ends.map((places) => endAt(fields, places)) as [FusionEnd, FusionEnd];
      return [
        {
          sample_id: sample.at(fields),
          gene1,
          gene2,
          effect: rearrangementOf(left, right),
          ...endColumns(left, right),
          in_frame: frames.get(textAt(fields, frame)?.toUpperCase() ?? '') ?? 'unknown',
          attributes: attributes(fields, { strand1: left.strand, strand2: right.strand }),
        },
      ];
    },
  };
}

function endAt(
  fields: readonly string[],
  [chromosome = -1, base = -1, strand = -1]: readonly number[],
): FusionEnd {
  return {
    chromosome: chromosomeAt(fields, chromosome),
    position: positionFrom1(fields, base),
    strand: textAt(fields, strand),
  };
}
