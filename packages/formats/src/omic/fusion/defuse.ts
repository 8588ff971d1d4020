import { attributesOf, type Header, RecordFault, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { chromosomeNeeded, positionFrom1, positionNeeded } from '../genome.ts';
import { SampleColumn } from '../sample-column.ts';

const ends = ['1', '2'] as const;
const columnsOfEnd = ['gene_name', 'gene_chromosome', 'genomic_break_pos'] as const;

/** deFuse's `results.tsv`, filtered or classified. Its `gene1` and `gene2` are ids, and its genes are unordered. */
export const defuse: TabularFormat = {
  type: 'fusion',
  name: 'deFuse',
  open: ({ header }) =>
    header.has('gene1', 'gene2', ...ends.flatMap((end) => columnsOfEnd.map((name) => `${name}${end}`)))
      ? opened(header)
      : undefined,
};

/** Rearrangements by the column that marks them with a Y; named as in Arriba. */
const effects = [
  ['interchromosomal', 'translocation'],
  ['inversion', 'inversion'],
  ['eversion', 'duplication'],
  ['deletion', 'deletion'],
] as const;
const frames: ReadonlyMap<string, string> = new Map([
  ['Y', 'yes'],
  ['N', 'no'],
]);

function opened(header: Header): OpenFile {
  const endPlaces = ends.map((end) => {
    const [name = -1, chromosome = -1, position = -1] = columnsOfEnd.map((column) =>
      header.place(`${column}${end}`),
    );
    return { end, id: header.place(`gene${end}`), name, chromosome, position };
  });
  const effectPlaces = effects.map(([name, effect]) => [header.place(name), effect] as const);
  const frame = header.place('orf');
  const sample = new SampleColumn(header, ['sample_id', 'sample', 'library_name']);
  const attributes = attributesOf(header, [
    ...[sample.place, frame, header.place('splitr_sequence')],
    ...effectPlaces.map(([place]) => place),
    ...endPlaces.flatMap(({ id, name, chromosome, position }) => [id, name, chromosome, position]),
  ]);
  return {
    isOneSample: sample.isMissing,
    sequenceType: 'RNA',
    rows(fields) {
      header.check(fields);
      const joined = endPlaces.map(({ end, id, name, chromosome, position }) => {
        const gene = textAt(fields, name) ?? textAt(fields, id);
        if (gene === undefined) throw new RecordFault('the gene is missing', name + 1);
        positionFrom1(fields, position);
        const at = positionNeeded(fields, position);
        return {
          [`gene${end}`]: gene,
          [`chromosome${end}`]: chromosomeNeeded(fields, chromosome),
          [`start_position${end}`]: at,
          [`end_position${end}`]: at,
        };
      });
      const ids = endPlaces.map(({ end, id }) => [`gene_id${end}`, textAt(fields, id)]);
      return [
        Object.assign({}, ...joined, {
          sample_id: sample.at(fields),
          effect: effectPlaces.find(([place]) => textAt(fields, place) === 'Y')?.[1],
          in_frame: frames.get(textAt(fields, frame) ?? '') ?? 'unknown',
          attributes: attributes(fields, Object.fromEntries(ids)),
        }),
      ];
    },
  };
}
