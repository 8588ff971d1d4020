import { attributesOf, type Header, numberAt, RecordFault, symbolAt, textAt } from '../../delimited/index.ts';
import type { OpenFile, Opening, TabularFormat } from '../format.ts';
import { givenAttributes } from '../given-attributes.ts';
import { refuseHiddenSamples, SampleColumn } from '../sample-column.ts';
import { namedGene } from './gene-name.ts';

const columns = [
  'gene_id',
  'gene_name',
  'expression',
  'raw_count',
  'attributes',
  'is_normalized',
  'expression_unit',
  'rna_quantification_set_id',
];

/** A table with the columns of `gene`, in any order; other columns go into `attributes`. */
export const ownExpression: TabularFormat = {
  type: 'expression',
  name: 'expression',
  open: ({ header, records }) => {
    const isOwn = header.hasOne('gene_id', 'gene_name') && header.hasOne('expression', 'raw_count');
    // A matrix may have a column of this name, with other samples beside it.
    const isSure = SampleColumn.isIn(header) || header.hasOne('expression_unit', 'raw_count');
    return isOwn && isSure ? opened(header, records) : undefined;
  },
};

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

function opened(header: Header, records: Opening['records']): OpenFile {
  const places = columns.map((name) => header.place(name));
  const [id = -1, name = -1, expression = -1, count = -1, attributes = -1, ...others] = places;
  const [normalized = -1, unit = -1] = others;
  const sample = new SampleColumn(header);
  const transcript = header.place('transcript_id');
  if (sample.isMissing) refuseHiddenSamples(header, records, [id, name, transcript], places);
  const rest = attributesOf(header, [sample.place, ...places]);
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      header.check(fields);
      const [identifier, symbol] = [textAt(fields, id), symbolAt(fields, name)];
      const named = identifier === undefined ? undefined : namedGene(identifier);
      if (identifier === undefined && symbol === undefined)
        throw new RecordFault('neither gene_id nor gene_name is given', Math.max(id, name) + 1);
      const given = numberAt(fields, expression);
      const rawCount = numberAt(fields, count);
      if (given === undefined && rawCount === undefined)
        throw new RecordFault('neither expression nor raw_count is given', Math.max(expression, count) + 1);
      const expressionUnit = textAt(fields, unit) ?? (given === undefined ? 'count' : undefined);
      return [
        {
          sample_id: sample.at(fields),
          gene_id: named?.gene_id,
          gene_name: symbol ?? named?.gene_name,
          expression: given ?? rawCount,
          raw_count: rawCount,
          attributes: rest(fields, givenAttributes(fields, attributes)),
          is_normalized: booleanAt(fields, normalized) ?? isNormalizedUnit(expressionUnit),
          expression_unit: expressionUnit,
        },
      ];
    },
  };
}

function booleanAt(fields: readonly string[], place: number): boolean | undefined {
  const text = textAt(fields, place);
  if (text === undefined) return undefined;
  const value = booleans.get(text.toLowerCase());
  if (value === undefined) throw new RecordFault('is_normalized has to be true or false', place + 1);
  return value;
}

function isNormalizedUnit(unit: string | undefined): boolean | undefined {
  if (unit === undefined) return undefined;
  if (/^(?:tpm|[fr]pkm|cpm)$/i.test(unit)) return true;
  return /^counts?$/i.test(unit) ? false : undefined;
}
