import {
  attributesOf,
  type Header,
  jsonOf,
  numberAt,
  RecordFault,
  symbolAt,
  textAt,
} from '../../delimited/index.ts';
import type { Row } from '../../parquet/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { type ExpressionProfile, isRecognised, ProfileColumns } from '../profile.ts';
import { SampleColumn } from '../sample-column.ts';
import { namedGene, unnamedGenes } from './gene-name.ts';

type Fields = readonly string[];

/** Reads tables of expression and proteins as a profile describes them. */
export function expressionFormat(profile: ExpressionProfile): TabularFormat {
  return {
    type: 'expression',
    name: profile.program,
    marksHeader: true,
    open: ({ header }) => {
      if (!isRecognised(profile, header)) return undefined;
      return profile.amounts ? openedMatrix(header, profile) : opened(header, profile);
    },
  };
}

/** Lines of the GDC that count reads without a gene (`N_unmapped`). */
const summary = /^N_[A-Za-z]+$/;

/** Opens a table of one sample, or with its name in each record. */
function opened(header: Header, profile: ExpressionProfile): OpenFile {
  const columns = new ProfileColumns(header, profile);
  const [gene, symbol, transcript] = [profile.gene, profile.symbol, profile.transcript].map((names) =>
    columns.place(names),
  ) as [number, number, number];
  const [amount, count] = [columns.place(profile.amount), columns.place(profile.count)];
  const sample = SampleColumn.of(header, profile.sample);
  const attributes = attributesOf(header, [sample.place, ...columns.used]);
  const numberOf = (fields: Fields, place: number): number | undefined => {
    const value = columns.text(fields, place) === undefined ? undefined : numberAt(fields, place);
    if (value !== undefined && value < 0 && !profile.isSigned)
      throw new RecordFault('it cannot be below 0', place + 1);
    return value;
  };
  const state = profile.state ? header.place(profile.state.column) : -1;
  let [unnamed, doubtful] = [0, 0];
  return {
    isOneSample: sample.isMissing,
    remarks: () => [
      ...unnamedGenes(unnamed),
      ...(doubtful === 0
        ? []
        : [`${doubtful} lines were left out: by ${header.names[state]} their values are no estimates.`]),
    ],
    rows(fields) {
      header.check(fields);
      const identifier = columns.text(fields, gene);
      if (identifier === undefined) throw new RecordFault('the gene is missing', gene + 1);
      if (summary.test(identifier)) return [];
      if (state >= 0 && textAt(fields, state) !== profile.state?.is) {
        doubtful += 1;
        return [];
      }
      const named = namedGene(identifier);
      const transcriptId = columns.text(fields, transcript) ?? named.transcript_id;
      if (named.gene_id === transcriptId) unnamed += 1;
      const [expression, rawCount] = [numberOf(fields, amount), numberOf(fields, count)];
      const isEmpty = expression === undefined && rawCount === undefined;
      if (isEmpty && profile.isSparse) return [];
      if (isEmpty)
        throw new RecordFault(
          `the ${header.names[Math.max(amount, count)]} is missing`,
          Math.max(amount, count) + 1,
        );
      const unit = profile.amount === undefined ? 'count' : profile.unit;
      return [
        {
          sample_id: sample.at(fields),
          gene_id: named.gene_id,
          gene_name: symbolAt(fields, symbol) ?? named.gene_name,
          expression: profile.amount === undefined ? rawCount : expression,
          raw_count: rawCount,
          attributes: attributes(fields, { transcript_id: transcriptId }),
          is_normalized: unit !== 'count',
          expression_unit: unit,
        },
      ];
    },
  };
}

interface Amounts {
  samples: readonly { place: number; name: string }[];
  unit: string;
  isNormalized?: boolean;
}

/** Returns the name of a run of a mass spectrometer without folders and ending, where a column has its path. */
function nameOfRun(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) || path;
  return file.replace(/\.(?:raw|mzml|d|wiff|dia)$/i, '');
}

/** Finds the columns of the first kind of amounts that a table has. */
function amountsOf(
  { names }: Header,
  { amounts = [], described = [] }: ExpressionProfile,
): Amounts | undefined {
  for (const { columns, unit, isNormalized = true } of amounts) {
    const samples = names.flatMap((name, place) => {
      const [, sample] = described.includes(name) ? [] : (columns.exec(name) ?? []);
      return sample === undefined ? [] : [{ place, name: nameOfRun(sample) }];
    });
    if (samples.length > 0) return { samples, unit, isNormalized };
  }
  return undefined;
}

/** Opens a table with a column of amounts for each sample. */
function openedMatrix(header: Header, profile: ExpressionProfile): OpenFile | undefined {
  const found = amountsOf(header, profile);
  if (!found) return undefined;
  const { samples, unit, isNormalized } = found;
  const columns = new ProfileColumns(header, profile);
  const [gene, symbol, transcript] = [profile.gene, profile.symbol, profile.transcript].map((names) =>
    columns.place(names),
  ) as [number, number, number];
  const marks = columns.places(profile.leftOut);
  let leftOut = 0;
  return {
    samples: samples.map(({ name }) => name),
    remarks: () =>
      leftOut === 0 ? [] : [`${leftOut} lines of contaminants and reversed sequences were left out.`],
    rows(fields) {
      header.check(fields);
      if (marks.some((place) => /^(?:\+|true)$/i.test(columns.text(fields, place) ?? ''))) {
        leftOut += 1;
        return [];
      }
      const ids = columns.text(fields, gene);
      if (ids === undefined) throw new RecordFault(`${header.names[gene]} is missing`, gene + 1);
      const symbols = symbolAt(fields, symbol);
      const transcript_id = columns.text(fields, transcript);
      // A group may have several proteins: the first is its best one.
      const shared: Row = {
        ...firstOf(ids, symbols),
        is_normalized: isNormalized,
        expression_unit: unit,
        attributes: jsonOf({ transcript_id, ...(ids.includes(';') && { ids, symbols }) }),
      };
      return samples.flatMap(({ place, name }) => {
        const value = numberAt(fields, place);
        if (value === undefined || (profile.isZeroAbsent && value === 0)) return [];
        return [
          { ...shared, sample_id: name, expression: value, raw_count: unit === 'count' ? value : undefined },
        ];
      });
    },
  };
}

function firstOf(ids: string, symbols: string | undefined): Row {
  const { gene_id, gene_name } = namedGene(ids.split(';')[0] ?? ids);
  return { gene_id, gene_name: symbols?.split(';')[0] ?? gene_name };
}
