import { columnKey, Header, isNumber } from '../../delimited/index.ts';
import { InputError } from '../../input-error.ts';
import type { OpenFile, Opening, TabularFormat } from '../format.ts';
import { sharedMeasure } from '../name-forms.ts';
import { withSymbolsOfGct } from './gct.ts';
import { isOfGenes } from './gene-columns.ts';
import { haveKnownGenes, isGeneId, isGeneOrTranscript } from './gene-name.ts';
import { type GeneTable, geneTable } from './gene-table.ts';
import { guessOf, matrixRows } from './matrix-rows.ts';
import {
  refuseComparison,
  refuseGenes,
  refuseGistic,
  refuseMadeUpNames,
  refuseOtherMolecule,
  refuseOwners,
  refuseQuantities,
  refuseSampleLines,
  refuseSeveralUnits,
} from './no-matrix.ts';
import { isAlignment, sampleNamesOf, valueColumns } from './sample-columns.ts';
import { namesExpression, namesNormalized, namesTransformed, unitOfColumn, unitOfFileName } from './unit.ts';

const featureCountsColumns = ['Geneid', 'Chr', 'Start', 'End', 'Strand', 'Length'];
/** Column in which featureCounts lists every exon of a gene. */
const exonColumns = ['Chr', 'Start', 'End', 'Strand'];

/** One line a gene, one column a sample: featureCounts, joined HTSeq counts, tables from R. */
export const matrix: TabularFormat = {
  type: 'expression',
  name: 'expression',
  readsRowNames: true,
  marksHeader: true,
  open: (opening) =>
    opening.isMarked && !isOfGenes(opening.header.names[0] ?? '') ? undefined : open(opening),
};

/**
 * Reads `htseq-count`: no header, a gene and its count. Other tables of two columns look alike, so genes or the file name must prove
 * it.
 */
export const htseq: TabularFormat = {
  type: 'expression',
  name: 'HTSeq',
  readsRowNames: true,
  open: ({ header: first, records, fileName, isTypeNamed }) => {
    const lines = [first.names, ...records];
    const unit = unitOfFileName(fileName);
    const columns = headerless[first.names.length];
    const isKnown = isTypeNamed || /htseq|count/i.test(fileName) || isGeneId(first.names[0] ?? '');
    if (!columns || !isKnown || !lines.every((line) => isGeneAndValue(line, columns.length, unit)))
      return undefined;
    const guess = unit === undefined ? guessOf(fileName) : 'none';
    const table = {
      header: new Header(columns),
      gene: 0,
      samples: [columns.length - 1],
      statistics: [],
      unread: [],
    };
    return { ...matrixRows(table, unit ?? 'count', guess), isHeaderless: true };
  },
};

/** Columns of files without a header by their number; three with `--additional-attr`. */
const headerless: Readonly<Record<number, string[]>> = {
  2: ['gene', 'count'],
  3: ['gene_id', 'gene_name', 'count'],
};

/**
 * Reads a gene, perhaps its symbol, and a count. Fractions are accepted where the name of the file has their unit (`*.FPKM.txt`
 * of the GDC).
 */
function isGeneAndValue(line: readonly string[], length: number, unit: string | undefined): boolean {
  const value = line.at(-1) ?? '';
  const isValue = unit === undefined ? /^\d+$/.test(value) : isNumber(value);
  return line.length === length && isValue && (length === 2 || !isNumber(line[1] ?? ''));
}

function open(opening: Opening): OpenFile | undefined {
  const { records, fileName, isTypeNamed } = opening;
  if (records.length === 0) return undefined;
  const header = withSymbolsOfGct(opening);
  refuseComparison(header);
  refuseGistic(header);
  const isFeatureCounts = header.has(...featureCountsColumns);
  const table = tableIn({ ...opening, header }, isFeatureCounts);
  if (!table) return undefined;
  const featureCountsPlaces = isFeatureCounts ? placesBesideCounts(table.header) : [];
  const { samples, statistics } = valueColumns(table, records, featureCountsPlaces);
  if (samples.length === 0) return undefined;
  const values = records.flatMap((fields) => samples.map((place) => fields[place]?.trim() ?? ''));
  const numbers = values.filter((value) => isNumber(value));
  const isMatrix = numbers.length > 0 && numbers.length >= values.length / 2;
  const hasNegative = numbers.some((value) => Number(value) < 0);
  if (!isTypeNamed && !isMatrix) return undefined;
  refuseOwners(header, fileName);
  // Several values of one sample are no matrix, and the meaning of each is unknown.
  const columns = samples.map((place) => table.header.names[place] ?? '');
  if (samples.length > 1 && sampleNamesOf(columns).includes(undefined)) return undefined;
  refuseGenes(columns);
  refuseQuantities(columns);
  refuseSeveralUnits(columns);
  refuseSampleLines(records.map((fields) => fields[table.gene] ?? ''));
  if (!isTypeNamed && !isFeatureCounts) refuseOtherMolecule(fileName);
  if (!isTypeNamed && hasNegative) return undefined;
  if (samples.length > 1) refuseMadeUpNames(table.header, samples);
  const isWhole = !hasNegative && numbers.every((value) => Number.isInteger(Number(value)));
  const named = unitOfFileName(fileName);
  // One column named after what is counted is of a program, whose counts may be shared among genes.
  const measured = sharedMeasure(columns);
  const shared = measured ?? (samples.length === 1 ? columns[0] : undefined);
  const isTransformed = [fileName, shared ?? ''].some(namesTransformed);
  const ofColumn = shared !== undefined && !hasNegative ? unitOfColumn(shared) : undefined;
  const isOtherMeasure = measured !== undefined && ofColumn === undefined;
  const isContradicted = named !== undefined && (isOtherMeasure || (ofColumn ?? named) !== named);
  const isUnknown = isTransformed || isContradicted || (named === 'count' && hasNegative);
  const unit = isUnknown ? undefined : (named ?? ofColumn);
  const isNormalized = [fileName, shared ?? ''].some(namesNormalized);
  const isCounts =
    isFeatureCounts || (isWhole && !isNormalized && !isTransformed && !isOtherMeasure && !isContradicted);
  const guess = isFeatureCounts || unit !== undefined ? 'none' : guessOf(fileName);
  const unread = isFeatureCounts ? exonColumns.map((name) => table.header.place(name)) : [];
  const matrixTable = { ...table, samples, statistics, unread, isTransformed, isContradicted };
  return matrixRows(matrixTable, unit ?? (isCounts ? 'count' : undefined), guess);
}

/** Columns of featureCounts, and attributes of the annotation between them and the first file of reads (`--extraAttributes`). */
function placesBesideCounts(header: Header): number[] {
  const places = featureCountsColumns.map((name) => header.place(name));
  const first = header.names.findIndex(isAlignment);
  return first < 0
    ? places
    : [...new Set([...places, ...Array.from({ length: first }, (_, place) => place)])];
}

function tableIn(
  { header: found, records, fileName, isTypeNamed }: Opening,
  isFeatureCounts: boolean,
): GeneTable | undefined {
  const isKnown = isTypeNamed || namesExpression(fileName);
  const header = isKnown ? withNameOfGenes(found, records) : found;
  // A line of one name is the header of one sample behind row names, or anything.
  if (header.names.length < 2 && !isKnown && !isOfOneSample(header, records)) return undefined;
  const table = geneTable(header, records, isKnown);
  // Columns of featureCounts identify the gene in any order, but may follow row names.
  const isInPlace = isFeatureCounts && table?.header.names[0] !== '';
  return isInPlace ? { header: table?.header ?? header, gene: header.place('Geneid') } : table;
}

/**
 * Reads the header of a matrix whose first column is named `sample` and holds genes (Xena); throws `InputError` without
 * evidence of that.
 */
function withNameOfGenes(header: Header, records: Opening['records']): Header {
  const [first = '', ...samples] = header.names;
  if (columnKey(first) !== 'sample' || samples.length === 0) return header;
  refuseGenes(samples);
  const names = records.map(([name = '']) => name.trim());
  if (!names.some(isGeneOrTranscript) && !haveKnownGenes(names))
    throw new InputError(unknownLines, { line: 1 });
  return new Header(['gene', ...samples]);
}

const unknownLines =
  'The first column is named sample, but it is unclear whether it holds genes or samples. If they are genes, name it gene_id; if they are samples, transpose the table.';

function isOfOneSample({ names: [name = ''] }: Header, records: Opening['records']): boolean {
  return isAlignment(name) || records.every(([gene = '']) => isGeneOrTranscript(gene));
}
