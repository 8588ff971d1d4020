import { type Cell, columnKey, isNumber, jsonOf, type Row, statusOfLevel, textAt } from '@ploidy/formats';
import type { TableFile } from '../tables/table-file.ts';
import type { StudyAccount } from './study-account.ts';
import { linesOf, type StudyFile } from './unpack.ts';

/** Meaning of the values of a matrix. */
export type Meaning = 'level' | 'log2' | 'linear' | 'expression' | 'z-score';

/** Columns beside those of samples. */
const geneColumns = new Set([
  'hugo_symbol',
  'gene_symbol',
  'entrez_gene_id',
  'locus_id',
  'gene_id',
  'cytoband',
]);

/** Gene of a line. */
interface Gene {
  symbol: string | undefined;
  entrez: string | undefined;
}

const expressionOf = ({ symbol, entrez }: Gene, value: number, further: Row): Row => ({
  ...{ gene_name: symbol, gene_id: entrez, expression: value, attributes: jsonOf(further) },
});

const rowOf: Readonly<Record<Meaning, (gene: Gene, value: number, further: Row) => Row | undefined>> = {
  level: ({ symbol, entrez }, value, further) => {
    const status = statusOfLevel.get(value);
    return status && { gene: symbol ?? entrez, status, attributes: jsonOf({ level: value, ...further }) };
  },
  log2: ({ symbol, entrez }, value) => ({
    gene: symbol ?? entrez,
    copy_number: 2 * 2 ** value,
    attributes: jsonOf({ log2: value }),
  }),
  // Copies, their difference from two, or capped: the format leaves it open.
  linear: ({ symbol, entrez }, value) => ({
    gene: symbol ?? entrez,
    attributes: jsonOf({ linear: value }),
  }),
  expression: expressionOf,
  'z-score': (gene, value, further) => ({
    ...expressionOf(gene, value, further),
    ...{ expression_unit: 'z-score', is_normalized: true },
  }),
};

/**
 * Reads genes × samples, or the long table of levels, into rows. The first line of a gene counts. Returns the samples of the file,
 * or undefined for one that is left out. `shared`: columns of every row; `further`: attributes of every row.
 */
export async function readMatrix(
  file: StudyFile,
  {
    meaning,
    table,
    shared,
    further: common,
  }: { meaning: Meaning; table: TableFile; shared: Row; further: Row },
  account: StudyAccount,
): Promise<Set<string> | undefined> {
  let titles: string[] | undefined;
  const samples = new Set<string>();
  const genes = new Set<string>();
  /** Columns with texts: without any number they are no samples. */
  const [numeric, odd] = [new Set<string>(), new Set<string>()];
  let wrong = 0;
  const add = (sample: string, gene: Gene, text: string, line: number, further: Row): void => {
    const row = isNumber(text) ? rowOf[meaning](gene, Number(text), { ...common, ...further }) : undefined;
    (row ? numeric : odd).add(sample);
    if (row) table.add({ sample_id: sample, ...shared, ...row });
    else if (wrong++ === 0)
      account.warn(`a value is ${meaning === 'level' ? 'no level of copies' : 'no number'}`, line);
  };
  for await (const { text, line } of linesOf(file.path)) {
    if (text.trim() === '' || text.startsWith('#')) continue;
    const fields = text.split('\t');
    if (!titles) {
      titles = fields.map((title) => title.trim());
      const fault = faultOf(titles);
      if (fault !== undefined) {
        account.leaveFile(fault);
        return undefined;
      }
      continue;
    }
    if (widthOf(fields, titles.length) !== titles.length) {
      account.leave('a line with more or fewer fields than the titles', line);
      continue;
    }
    const at = (...names: string[]): Cell => textOf(titles as string[], fields, names);
    const gene = {
      symbol: at('hugo_symbol', 'gene_symbol'),
      entrez: at('entrez_gene_id', 'locus_id', 'gene_id'),
    } as Gene;
    const isLong = titles.some((title) => columnKey(title) === 'sample_id');
    const sample = isLong ? String(at('sample_id') ?? '') : '';
    const name = gene.symbol ?? gene.entrez;
    if (name === undefined || (isLong && sample === '')) {
      account.leave('a line without the name of its gene or sample', line);
      continue;
    }
    const key = `${name}\t${sample}`;
    if (genes.has(key)) {
      account.leave('a further line of the same gene: the first one counts', line);
      continue;
    }
    genes.add(key);
    account.gave();
    if (isLong) {
      samples.add(sample);
      const value = at('value');
      const driver = at('cbp_driver');
      if (value !== undefined)
        add(sample, gene, String(value), line, driver === undefined ? {} : { cbp_driver: driver });
      continue;
    }
    for (const [place, title] of titles.entries()) {
      if (geneColumns.has(columnKey(title)) || title === '') continue;
      samples.add(title);
      const value = textAt(fields, place);
      if (value !== undefined) add(title, gene, value, line, {});
    }
  }
  if (wrong > 0) account.warn(`${wrong} values were left out`);
  const texts = odd.difference(numeric);
  if (texts.size > 0) account.warn(`columns without a value of a sample are no samples: ${texts.size}`);
  return samples.difference(texts);
}

/** Counts the fields of a line, without empty ones behind those of the titles: a lost tab would give values to other samples. */
export function widthOf(fields: readonly string[], expected: number): number {
  let width = fields.length;
  while (width > expected && fields[width - 1]?.trim() === '') width -= 1;
  return width;
}

function faultOf(titles: readonly string[]): string | undefined {
  const keys = titles.map(columnKey);
  if (!keys.some((key) => geneColumns.has(key) && key !== 'cytoband')) return 'it has no column of genes';
  const names = titles.filter((title) => title !== '' && !geneColumns.has(columnKey(title)));
  if (names.length === 0) return 'it has no column of samples';
  return new Set(names).size < names.length ? 'two columns have the same sample' : undefined;
}

function textOf(
  titles: readonly string[],
  fields: readonly string[],
  names: readonly string[],
): string | undefined {
  for (const name of names) {
    const place = titles.findIndex((title) => columnKey(title) === name);
    const text = place < 0 ? undefined : textAt(fields, place);
    if (text !== undefined) return text;
  }
  return undefined;
}
