import { Header, isNumber } from '../../delimited/index.ts';
import type { OpenFile, Opening, TabularFormat } from '../format.ts';
import { withSymbolsOfGct } from './gct.ts';
import { isGeneId, isGeneOrTranscript } from './gene-name.ts';
import { type GeneTable, geneTable } from './gene-table.ts';
import { guessOf, matrixRows } from './matrix-rows.ts';
import {
  refuseComparison,
  refuseGenes,
  refuseGistic,
  refuseMadeUpNames,
  refuseOtherMolecule,
  refuseOwners,
} from './no-matrix.ts';
import { isAlignment, sampleNamesOf, valueColumns } from './sample-columns.ts';
import { saysExpression, unitOfFileName } from './unit.ts';

const featureCountsColumns = ['Geneid', 'Chr', 'Start', 'End', 'Strand', 'Length'];
/** featureCounts lists every exon of a gene there. */
const exonColumns = ['Chr', 'Start', 'End', 'Strand'];

/** One line a gene, one column a sample: featureCounts, joined HTSeq counts, tables from R. */
export const matrix: TabularFormat = {
  type: 'expression',
  name: 'expression',
  readsRowNames: true,
  open,
};

/** `htseq-count`: no header, a gene and its count. Other tables of two columns look the same, so the genes or the name have to tell. */
export const htseq: TabularFormat = {
  type: 'expression',
  name: 'HTSeq',
  readsRowNames: true,
  open: ({ header: first, records, fileName, isTypeNamed }) => {
    const lines = [first.names, ...records];
    const isCounts = lines.every((line) => line.length === 2 && /^\d+$/.test(line[1] ?? ''));
    const isKnown = isTypeNamed || /htseq|count/i.test(fileName) || isGeneId(first.names[0] ?? '');
    if (!isCounts || !isKnown) return undefined;
    const unit = unitOfFileName(fileName);
    const guess = unit === undefined ? guessOf(fileName) : 'none';
    const table = {
      header: new Header(['gene', 'count']),
      gene: 0,
      samples: [1],
      statistics: [],
      unread: [],
    };
    return { ...matrixRows(table, unit ?? 'count', guess), isHeaderless: true };
  },
};

function open(opening: Opening): OpenFile | undefined {
  const { records, fileName, isTypeNamed } = opening;
  if (records.length === 0) return undefined;
  const header = withSymbolsOfGct(opening);
  refuseComparison(header);
  refuseGistic(header);
  const isFeatureCounts = header.has(...featureCountsColumns);
  const table = tableIn({ ...opening, header }, isFeatureCounts);
  if (!table) return undefined;
  const featureCountsPlaces = isFeatureCounts
    ? featureCountsColumns.map((name) => table.header.place(name))
    : [];
  const { samples, statistics } = valueColumns(table, records, featureCountsPlaces);
  if (samples.length === 0) return undefined;
  const values = records.flatMap((fields) => samples.map((place) => fields[place]?.trim() ?? ''));
  const numbers = values.filter((value) => isNumber(value));
  const isMatrix = numbers.length > 0 && numbers.length >= values.length / 2;
  const hasNegative = numbers.some((value) => Number(value) < 0);
  if (!isTypeNamed && !isMatrix) return undefined;
  refuseOwners(header);
  // Several values of one sample are no matrix, and nothing says what each of them is.
  const columns = samples.map((place) => table.header.names[place] ?? '');
  if (samples.length > 1 && sampleNamesOf(columns).includes(undefined)) return undefined;
  refuseGenes(columns);
  if (!isTypeNamed && !isFeatureCounts) refuseOtherMolecule(fileName);
  if (!isTypeNamed && hasNegative) return undefined;
  if (samples.length > 1) refuseMadeUpNames(table.header, samples);
  const isWhole = !hasNegative && numbers.every((value) => Number.isInteger(Number(value)));
  const named = unitOfFileName(fileName);
  const unit = named === 'count' && hasNegative ? undefined : named;
  const isCounts = isFeatureCounts || isWhole;
  const guess = isFeatureCounts || unit !== undefined ? 'none' : guessOf(fileName);
  const unread = isFeatureCounts ? exonColumns.map((name) => table.header.place(name)) : [];
  const matrixTable = { ...table, samples, statistics, unread };
  return matrixRows(matrixTable, unit ?? (isCounts ? 'count' : undefined), guess);
}

function tableIn(
  { header, records, fileName, isTypeNamed }: Opening,
  isFeatureCounts: boolean,
): GeneTable | undefined {
  const isKnown = isTypeNamed || saysExpression(fileName);
  // A line of one name is the header of one sample behind row names, or anything.
  if (header.names.length < 2 && !isKnown && !isOfOneSample(header, records)) return undefined;
  const found = geneTable(header, records, isKnown);
  // Those of featureCounts tell the gene in any order, but may stand behind row names.
  const isInPlace = isFeatureCounts && found?.header.names[0] !== '';
  return isInPlace ? { header: found?.header ?? header, gene: header.place('Geneid') } : found;
}

function isOfOneSample({ names: [name = ''] }: Header, records: Opening['records']): boolean {
  return isAlignment(name) || records.every(([gene = '']) => isGeneOrTranscript(gene));
}
