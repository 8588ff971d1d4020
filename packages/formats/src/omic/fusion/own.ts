import { attributesOf, type Header, positionAt, RecordFault, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { checkSegment, chromosomeAt } from '../genome.ts';
import { givenAttributes } from '../given-attributes.ts';
import { SampleColumn } from '../sample-column.ts';

const texts = ['gene1', 'gene2', 'effect', 'interpretation', 'sequence_type'] as const;
const regions = ['1', '2'] as const;
const others = ['in_frame', 'attributes', 'fusion_set_id'];

/** A table with the columns of `fusion`, in any order; other columns go into `attributes`. */
export const ownFusion: TabularFormat = {
  type: 'fusion',
  name: 'fusion',
  open: ({ header }) => (header.has('gene1', 'gene2') ? opened(header) : undefined),
};

const frames: ReadonlyMap<string, string> = new Map([
  ['yes', 'yes'],
  ['true', 'yes'],
  ['1', 'yes'],
  ['no', 'no'],
  ['false', 'no'],
  ['0', 'no'],
  ['unknown', 'unknown'],
]);

function opened(header: Header): OpenFile {
  const sample = new SampleColumn(header);
  const [frame = -1, attributes = -1, set = -1] = others.map((name) => header.place(name));
  const textPlaces = texts.map((name) => [name, header.place(name)] as const);
  const regionPlaces = regions.map((number) => ({
    number,
    chromosome: header.place(`chromosome${number}`),
    start: header.place(`start_position${number}`),
    end: header.place(`end_position${number}`),
  }));
  const rest = attributesOf(header, [
    ...[sample.place, frame, attributes, set],
    ...textPlaces.map(([, place]) => place),
    ...regionPlaces.flatMap(({ chromosome, start, end }) => [chromosome, start, end]),
  ]);
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      header.check(fields);
      const row = Object.fromEntries(textPlaces.map(([name, place]) => [name, textAt(fields, place)]));
      if (row['gene1'] === undefined && row['gene2'] === undefined)
        throw new RecordFault('neither gene1 nor gene2 is given', header.place('gene1') + 1);
      const found = regionPlaces.map(({ number, chromosome, start, end }) => {
        const [from, to] = [positionAt(fields, start), positionAt(fields, end)];
        if (from === 0) throw new RecordFault(`start_position${number} counts from 1`, start + 1);
        checkSegment(from, to, end);
        return {
          [`chromosome${number}`]: chromosomeAt(fields, chromosome),
          [`start_position${number}`]: from,
          [`end_position${number}`]: to,
        };
      });
      return [
        Object.assign(row, ...found, {
          sample_id: sample.at(fields),
          in_frame: frameAt(fields, frame),
          attributes: rest(fields, givenAttributes(fields, attributes)),
        }),
      ];
    },
  };
}

function frameAt(fields: readonly string[], place: number): string {
  const text = textAt(fields, place) ?? 'unknown';
  const frame = frames.get(text.toLowerCase());
  if (frame === undefined) throw new RecordFault('in_frame has to be yes, no or unknown', place + 1);
  return frame;
}
