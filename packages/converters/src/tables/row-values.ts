import { children, domains, isIdOfDatabase, isWithin, jsonOf, type Row, symbolOf } from '@ploidy/formats';

/** Columns of symbols, and the attributes that have an id, or several symbols, instead. */
const symbolColumns: readonly (readonly [column: string, ofId: string, ofList: string])[] = [
  ['gene', 'gene_id', 'genes'],
  ['gene_name', 'gene_id', 'gene_names'],
  ['gene1', 'gene_id1', 'genes1'],
  ['gene2', 'gene_id2', 'genes2'],
];
/** Signs between several symbols, which no symbol has. */
const betweenSymbols = /[,;]/;
const numericColumns = Object.keys(domains);

/**
 * Keeps of the rows of every omic table what their columns may hold: numbers of the column's domain, and symbols of genes. Other
 * values are left out, counted, and named in remarks.
 */
export class RowValues {
  /** Values beyond their domain, by column. */
  readonly #beyond = new Map<string, { count: number; first: number }>();
  #idCount = 0;
  #firstId = '';
  #listCount = 0;
  /** Rows of X with the one copy that men have, and the status of a loss. */
  #singleCount = 0;
  #firstList = '';

  /** Changes a row. */
  keep(row: Row): void {
    for (const column of numericColumns) {
      const value = row[column];
      if (typeof value !== 'number' || isWithin(column, value)) continue;
      row[column] = undefined;
      const found = this.#beyond.get(column);
      if (found) found.count += 1;
      else this.#beyond.set(column, { count: 1, first: value });
      // The status follows from the copies.
      if (column === 'copy_number') row['status'] = undefined;
    }
    if (row['chromosome'] === 'chrX' && row['status'] === 'partialLoss') this.#singleCount += 1;
    for (const [column, ofId, ofList] of symbolColumns) {
      const text = row[column];
      if (typeof text !== 'string') continue;
      if (betweenSymbols.test(text) && this.#isList(row, column, ofList, text)) continue;
      const symbol = symbolOf(row[column] as string);
      row[column] = symbol;
      if (isIdOfDatabase(symbol)) this.#move(row, column, ofId, symbol);
    }
  }

  /** Keeps the one symbol of a list; of several it is unknown which has the change. Returns whether these are several. */
  #isList(row: Row, column: string, attribute: string, text: string): boolean {
    const names = new Set(text.split(betweenSymbols).map((name) => name.trim()));
    names.delete('');
    row[column] = [...names][0];
    if (names.size === 1) return false;
    this.#listCount += 1;
    this.#firstList ||= text;
    row[column] = undefined;
    if (!('variant_id' in row)) row['attributes'] = withMember(row['attributes'], attribute, text);
    return true;
  }

  #move(row: Row, column: string, attribute: string, id: string): void {
    this.#idCount += 1;
    this.#firstId ||= id;
    row[column] = undefined;
    if (column === 'gene_name' && row['gene_id'] === undefined) row['gene_id'] = id;
    else if (!('variant_id' in row)) row['attributes'] = withMember(row['attributes'], attribute, id);
  }

  get remarks(): string[] {
    const remarks = [...this.#beyond].map(
      ([column, { count, first }]) =>
        `${count} values are none that ${column} may have, such as ${first}: they stand for missing ones, or have another unit, and are NULL.`,
    );
    if (this.#idCount > 0)
      remarks.push(
        `${this.#idCount} names of genes are ids of a database, such as ${this.#firstId}, and no symbols: the column of symbols is NULL, and the id in gene_id or attributes. Add the symbols to the file.`,
      );
    if (this.#singleCount > 0)
      remarks.push(
        `${this.#singleCount} rows of chrX have one copy and the status partialLoss, which is neutral in men. Compare with the sex of the patient, or add a column Ploidy with the copies that chrX normally has.`,
      );
    if (this.#listCount > 0)
      remarks.push(
        `${this.#listCount} texts name several genes, such as ${this.#firstList}, so it is unknown which of them is meant: the column of symbols is NULL, and the text in attributes, but for a MAF. Give each gene a line of its own.`,
      );
    return remarks;
  }
}

/** Adds a member to the JSON of attributes, whose numbers keep their digits; one that is there stays. */
function withMember(attributes: unknown, name: string, value: string): string | undefined {
  const text = typeof attributes === 'string' ? attributes : undefined;
  const added = jsonOf({ [name]: value });
  if (text === undefined || text === '{}') return added;
  const key = JSON.stringify(name).slice(1, -1);
  if (children(text, 0).some((child) => child.key === key)) return text;
  return `${text.slice(0, -1)},${added?.slice(1)}`;
}
