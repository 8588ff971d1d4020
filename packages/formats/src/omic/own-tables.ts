import {
  attributesOf,
  type Header,
  numberAt,
  positionAt,
  RecordFault,
  symbolAt,
  textAt,
} from '../delimited/index.ts';
import type { Cell, Row } from '../parquet/index.ts';
import { CopyUnit } from './copy-number/copy-unit.ts';
import { copiesAt, copyNumberStatuses, statusOn } from './copy-number/status.ts';
import { namedGene } from './expression/gene-name.ts';
import {
  type Doubt,
  type OpenFile,
  type Opening,
  type TabularFormat,
  type TabularType,
  tableOfType,
} from './format.ts';
import { checkSegment, chromosomeAt } from './genome.ts';
import { givenAttributes } from './given-attributes.ts';
import { refuseHiddenSamples, SampleColumn } from './sample-column.ts';

/** Tables in the layout of a table of the lake: its columns in any order; others go into `attributes`. */
interface OwnLayout {
  type: TabularType;
  isOwn(header: Header): boolean;
  /** Columns with the readers of their fields. */
  columns: Readonly<Record<string, (fields: readonly string[], place: number) => Cell>>;
  /** Names of a column; the first that a table has counts. */
  names?: Readonly<Record<string, readonly string[]>>;
  /** Suffixes of `chromosome`, `start_position` and `end_position`. */
  places?: readonly string[];
  /** Columns that are equal in lines of several samples: without a column of samples such lines are refused. */
  distinct?: readonly string[];
  /** Judges the rows of one file. */
  judge?(header: Header): { add(row: Row): void; doubts(): Doubt[] };
  /** Completes a row. Throws `RecordFault` for one without content. */
  complete(row: Row, placeOf: (column: string) => number): Row;
  remarks?(header: Header): string[];
}

/** Makes a format of a layout. */
const ownFormat = (layout: OwnLayout): TabularFormat => ({
  type: layout.type,
  name: layout.type === 'copynumber' ? 'copy number' : layout.type,
  open: ({ header, records }) => (layout.isOwn(header) ? opened(header, records, layout) : undefined),
});

function opened(header: Header, records: Opening['records'], layout: OwnLayout): OpenFile {
  const { type, columns, names = {}, places = [], distinct, complete, remarks } = layout;
  const placeOf = (column: string): number => header.place(...(names[column] ?? [column]));
  const readers = Object.entries(columns).map(([name, read]) => ({ name, place: placeOf(name), read }));
  const ends = places.map((suffix) => ({
    suffix,
    places: ['chromosome', 'start_position', 'end_position'].map((name) => placeOf(`${name}${suffix}`)),
  }));
  const attributes = placeOf('attributes');
  const used = [
    ...[attributes, placeOf(tableOfType[type].setColumn)],
    ...readers.map(({ place }) => place),
    ...ends.flatMap((end) => end.places),
  ];
  const sample = new SampleColumn(header);
  if (sample.isMissing && distinct) refuseHiddenSamples(header, records, distinct.map(placeOf), used);
  const rest = attributesOf(header, [sample.place, ...used]);
  const judge = layout.judge?.(header);
  return {
    ...(judge && { doubts: () => judge.doubts() }),
    isOneSample: sample.isMissing,
    rows(fields) {
      header.check(fields);
      const row: Row = Object.fromEntries(
        readers.map(({ name, place, read }) => [name, read(fields, place)]),
      );
      for (const { suffix, places } of ends) Object.assign(row, placeAt(fields, suffix, places));
      row['sample_id'] = sample.at(fields);
      row['attributes'] = rest(fields, givenAttributes(fields, attributes));
      judge?.add(row);
      return [complete(row, placeOf)];
    },
    ...(remarks && { remarks: () => remarks(header) }),
  };
}

function placeAt(fields: readonly string[], suffix: string, places: readonly number[]): Row {
  const [chromosome = -1, start = -1, end = -1] = places;
  const [from, to] = [positionAt(fields, start), positionAt(fields, end)];
  if (from === 0) throw new RecordFault(`start_position${suffix} counts from 1`, start + 1);
  checkSegment(from, to, end);
  return {
    [`chromosome${suffix}`]: chromosomeAt(fields, chromosome),
    [`start_position${suffix}`]: from,
    [`end_position${suffix}`]: to,
  };
}

/** Makes a reader of words, in any case, that stand for values. `fault`: the reason to refuse others. */
const wordAt =
  (words: Readonly<Record<string, Cell>>, fault: string) =>
  (fields: readonly string[], place: number): Cell => {
    const text = textAt(fields, place)?.toLowerCase();
    if (text === undefined) return undefined;
    if (!Object.hasOwn(words, text)) throw new RecordFault(fault, place + 1);
    return words[text];
  };

const yes = ['yes', 'true', '1'];
const no = ['no', 'false', '0'];
const wordsFor = (texts: readonly string[], value: Cell): Record<string, Cell> =>
  Object.fromEntries(texts.map((text) => [text, value]));

export const ownCopyNumber = ownFormat({
  type: 'copynumber',
  isOwn: (header) => header.hasOne('copy_number', 'status') && header.hasOne('gene', 'chromosome'),
  columns: {
    gene: textAt,
    copy_number: copiesAt,
    status: wordAt(
      Object.fromEntries(copyNumberStatuses.map((status) => [status.toLowerCase(), status])),
      `status has to be one of ${copyNumberStatuses.join(', ')}`,
    ),
    interpretation: textAt,
  },
  names: { gene: ['gene', 'gene_name', 'gene_symbol', 'symbol', 'hugo_symbol'] },
  places: [''],
  distinct: ['gene', 'chromosome', 'start_position', 'end_position'],
  judge(header) {
    const unit = new CopyUnit();
    return {
      add: ({ copy_number: copies }) => typeof copies === 'number' && unit.add(copies),
      doubts: () => unit.doubts(['copy_number', ...(header.has('status') ? [] : ['status'])]),
    };
  },
  complete: (row) => ({
    ...row,
    status: row['status'] ?? statusOn(row['chromosome'], row['copy_number'] as number | undefined),
  }),
  remarks: (header) => (header.hasOne('start_position') ? [] : unusedPositions(header)),
});

/** Warns of positions whose base, 0 or 1, is unknown. */
function unusedPositions({ names }: Header): string[] {
  const columns = names.filter((name) => /^(?:loc[_.]?|seg(?:ment)?[_.]?)?(?:start|end)/i.test(name));
  if (columns.length === 0) return [];
  return [
    `These columns were kept in attributes: ${columns.join(', ')}. Positions are taken from start_position and end_position, which count from 1.`,
  ];
}

export const ownFusion = ownFormat({
  type: 'fusion',
  isOwn: (header) => header.has('gene1', 'gene2'),
  columns: {
    ...{ gene1: textAt, gene2: textAt, effect: textAt, interpretation: textAt, sequence_type: textAt },
    in_frame: wordAt(
      { ...wordsFor(yes, 'yes'), ...wordsFor(no, 'no'), unknown: 'unknown' },
      'in_frame has to be yes, no or unknown',
    ),
  },
  places: ['1', '2'],
  complete(row, placeOf) {
    if (row['gene1'] === undefined && row['gene2'] === undefined)
      throw new RecordFault('neither gene1 nor gene2 is given', placeOf('gene1') + 1);
    return { ...row, in_frame: row['in_frame'] ?? 'unknown' };
  },
});

export const ownExpression = ownFormat({
  type: 'expression',
  isOwn(header) {
    const isOwn = header.hasOne('gene_id', 'gene_name') && header.hasOne('expression', 'raw_count');
    // A matrix may have a column of this name, with other samples beside it.
    return isOwn && (SampleColumn.isIn(header) || header.hasOne('expression_unit', 'raw_count'));
  },
  columns: {
    ...{ gene_id: textAt, gene_name: symbolAt, expression: numberAt, raw_count: numberAt },
    is_normalized: wordAt(
      { ...wordsFor(yes, true), ...wordsFor(no, false) },
      'is_normalized has to be true or false',
    ),
    expression_unit: textAt,
  },
  distinct: ['gene_id', 'gene_name', 'transcript_id'],
  complete(row, placeOf) {
    const { gene_id, gene_name, expression, raw_count, is_normalized, expression_unit } = row;
    const fault = (one: string, other: string): RecordFault =>
      new RecordFault(`neither ${one} nor ${other} is given`, Math.max(placeOf(one), placeOf(other)) + 1);
    if (gene_id === undefined && gene_name === undefined) throw fault('gene_id', 'gene_name');
    if (expression === undefined && raw_count === undefined) throw fault('expression', 'raw_count');
    const named = gene_id === undefined ? undefined : namedGene(String(gene_id));
    const unit = expression_unit ?? (expression === undefined ? 'count' : undefined);
    return {
      ...row,
      gene_id: named?.gene_id,
      gene_name: gene_name ?? named?.gene_name,
      expression: expression ?? raw_count,
      is_normalized: is_normalized ?? isNormalizedUnit(unit === undefined ? '' : String(unit)),
      expression_unit: unit,
    };
  },
});

function isNormalizedUnit(unit: string): boolean | undefined {
  if (/^(?:tpm|[fr]pkm|cpm)$/i.test(unit)) return true;
  return /^counts?$/i.test(unit) ? false : undefined;
}
