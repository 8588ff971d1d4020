import { columnKey, Header, isNumber, textAt } from '../../delimited/index.ts';

export const symbolColumns: readonly string[] = [
  'gene_name',
  'gene_symbol',
  'genename',
  'symbol',
  'hugo_symbol',
  'external_gene_name',
];
/** How a column of genes is called. */
const geneColumns = new Set(
  `gene,genes,gene_id,geneid,gene_name,gene_symbol,symbol,hugo_symbol,feature,feature_id,id,name,ensembl,ensembl_id,ensembl_gene_id,target`.split(
    ',',
  ),
);

/** The columns of a table of genes, and the place of the one that tells the gene. */
export interface GeneTable {
  header: Header;
  gene: number;
}

type Records = readonly (readonly string[])[];

/**
 * The columns where the first one holds genes; undefined for other tables. R and pandas write the names of rows before the columns, under no name, or (R) without
 * a place in the header. Where these only count the rows, the genes are in the column behind them.
 */
export function geneTable({ names: all }: Header, records: Records): GeneTable | undefined {
  const names = all.slice(0, all.findLastIndex((name) => name !== '') + 1);
  const header = new Header(leavesOutRowNames(names, records) ? ['', ...names] : names);
  const [first = '-', second = '-'] = header.names;
  if (isOfGenes(first)) return { header, gene: 0 };
  if (first !== '') return undefined;
  return { header, gene: isOfGenes(second) && areNumbers(records, second) ? 1 : 0 };
}

const isOfGenes = (name: string): boolean => geneColumns.has(columnKey(name));

/** Lines that have one field more than the header, and not because they end with a separator: all values would be those of the sample before. */
function leavesOutRowNames(names: readonly string[], records: Records): boolean {
  if (records[0]?.length !== names.length + 1) return false;
  if (records.every((fields) => fields[names.length]?.trim() === '')) return false;
  if (!isOfGenes(names[0] ?? '')) return true;
  // Then the column behind the row names is the one that is called as genes are, and holds no values of a sample.
  const genes = records.map((fields) => textAt(fields, 1)).filter((text) => text !== undefined);
  return genes.length > 0 && !genes.some(isNumber);
}

/** Whether row names are the numbers of the rows. Beside symbols they may be Entrez's of the genes, unless they count. */
function areNumbers(records: Records, column: string): boolean {
  const rowNames = records.map(([name = '']) => name.trim());
  const start = Number(rowNames[0]);
  if (symbolColumns.includes(columnKey(column)))
    return start <= 1 && rowNames.every((name, at) => name === `${start + at}`);
  return rowNames.every((name) => /^\d+$/.test(name));
}
