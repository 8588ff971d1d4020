import { Header, isNumber, textAt } from '../../delimited/index.ts';
import { InputError } from '../../input-error.ts';
import { isGeneral, isIds, isOfGenes, isRowNames, isSymbols, mayBeSample } from './gene-columns.ts';
import { isGeneOrTranscript, namedGene } from './gene-name.ts';

/** Columns of a table of genes, and the index of the gene column. */
export interface GeneTable {
  header: Header;
  gene: number;
}

type Records = readonly (readonly string[])[];

/**
 * Columns where the first one holds genes; undefined for other tables. R and pandas write the names of rows before the columns,
 * without a name, or (R) outside of the header. Where these only number the rows, the genes are in the next column. `isKnown`:
 * the table certainly has genes, so that a general column name suffices. Throws `InputError` where only such numbers could be
 * the genes of that table.
 */
export function geneTable({ names: all }: Header, records: Records, isKnown: boolean): GeneTable | undefined {
  const names = all.slice(0, all.findLastIndex((name, place) => name !== '' || !isEmpty(records, place)) + 1);
  // Other tables may have columns of these names.
  if (isKnown && isRowNames(names[0] ?? '') && records[0]?.length === names.length) names[0] = '';
  const header = new Header(leavesOutRowNames(names, records) ? ['', ...names] : names);
  const [first = '-', second = '-'] = header.names;
  const holdsGenes = (name: string, place: number): boolean =>
    isOfGenes(name) &&
    (isKnown ||
      !isGeneral(name) ||
      records.some((fields) => isGeneOrTranscript(textAt(fields, place) ?? '')));
  if (holdsGenes(first, 0)) return { header, gene: 0 };
  if (first !== '') return undefined;
  const hasGenes = holdsGenes(second, 1) && !isSampleLikeTranscripts(header.names, 1, records);
  if (hasGenes && (areNumbers(records, second) || areOther(records, second))) return { header, gene: 1 };
  if (!areCounted(records)) return { header, gene: 0 };
  if (isKnown) throw new InputError(counted, { line: 1 });
  return undefined;
}

// The numbers of human genes have a gap behind 3 (NCBI Gene): a longer sequence of consecutive numbers counts lines, a shorter
// one is ambiguous.
const counted =
  'The first column has no name and counts 1, 2, 3 …: these may be row numbers or Entrez gene ids. If they are gene ids, name the column entrez_id; otherwise put the genes into a column gene_id.';

const isEmpty = (records: Records, place: number): boolean =>
  records.every((fields) => (fields[place] ?? '').trim() === '');

/** Returns whether a column is a sample with the name of a transcript column: its numbers name no transcript. */
export function isSampleLikeTranscripts(names: readonly string[], place: number, records: Records): boolean {
  if (!mayBeSample(names[place] ?? '')) return false;
  const values = records.map((fields) => textAt(fields, place)).filter((text) => text !== undefined);
  return values.length > 0 && values.every(isNumber);
}

/**
 * Returns whether lines have one field more than the header, and not by a separator at their end: all values would belong to
 * the previous sample.
 */
function leavesOutRowNames(names: readonly string[], records: Records): boolean {
  if (records[0]?.length !== names.length + 1) return false;
  if (isEmpty(records, names.length)) return false;
  if (!isOfGenes(names[0] ?? '')) return true;
  // A sample has this name, unless the column holds transcripts: then it is a field too many.
  const areTranscripts = records.some(([name = '']) => namedGene(name.trim()).transcript_id !== undefined);
  if (!areTranscripts && isSampleLikeTranscripts(['', ...names], 1, records)) return true;
  // Consecutive numbers that go beyond 3 are no genes (see below).
  if (records.length > 3 && areCounted(records)) return true;
  // Then the column after the row names has the name of a gene column, and no values of a sample.
  const genes = records.map((fields) => textAt(fields, 1)).filter((text) => text !== undefined);
  return genes.length > 0 && !genes.some(isNumber);
}

/** Returns whether row names number the rows. Beside symbols they may be Entrez ids, unless they count. */
function areNumbers(records: Records, column: string): boolean {
  if (isSymbols(column)) return areCounted(records);
  return records.every(([name = '']) => /^\d+$/.test(name.trim()));
}

/** Returns whether row names may be anything, because the next column has the name of an id column. */
function areOther(records: Records, column: string): boolean {
  return isIds(column) && !records.some(([name = '']) => isGeneOrTranscript(name.trim()));
}

/** Returns whether numbers are 0, 1, 2 … or 1, 2, 3 … */
function areCounted(records: Records): boolean {
  const start = Number(records[0]?.[0]?.trim());
  return start <= 1 && records.every(([name = ''], at) => name.trim() === `${start + at}`);
}
