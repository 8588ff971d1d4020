import { children, domains, isIdOfDatabase, isWithin, jsonOf, type Row, symbolOf } from '@ploidy/formats';

/** Columns of symbols, and the attribute that has an id instead. */
const symbolColumns: readonly (readonly [column: string, attribute: string])[] = [
  ['gene', 'gene_id'],
  ['gene_name', 'gene_id'],
  ['gene1', 'gene_id1'],
  ['gene2', 'gene_id2'],
];
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
    for (const [column, attribute] of symbolColumns) {
      const text = row[column];
      if (typeof text !== 'string') continue;
      const symbol = symbolOf(text);
      row[column] = symbol;
      if (isIdOfDatabase(symbol)) this.#move(row, column, attribute, symbol);
    }
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
