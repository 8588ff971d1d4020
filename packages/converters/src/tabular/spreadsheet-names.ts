import type { Row } from '@ploidy/formats';

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec';
/** Dates and numbers that spreadsheets make of symbols: `1-Mar` and `Mar-01` of MARCH1, `2.31E+13` of RIKEN's 2310009E13. */
const changed = new RegExp(`^(?:\\d{1,2}-(?:${months})|(?:${months})-\\d{2}|\\d\\.\\d+e\\+\\d+)$`, 'i');

const columns = ['gene', 'gene_id', 'gene_name', 'gene1', 'gene2'];

/** Finds names of genes that a spreadsheet has changed (Ziemann et al. 2016, doi:10.1186/s13059-016-1044-7). */
export class SpreadsheetNames {
  readonly #names = new Set<string>();

  read(row: Row): void {
    for (const column of columns) {
      const name = row[column];
      if (typeof name === 'string' && changed.test(name)) this.#names.add(name);
    }
  }

  get remarks(): string[] {
    const [first] = this.#names;
    if (first === undefined) return [];
    return [
      `${this.#names.size} gene names are dates or numbers, such as ${first}: a spreadsheet has changed them. They are kept as they are. Ingest the original file instead.`,
    ];
  }
}

const positionColumns = ['chromosome', 'chromosome1', 'chromosome2'];
const numbered = new Set(['25', '26', 'chr25', 'chr26']);

/** Finds chromosomes by numbers that programs give to other contigs than X and Y (PLINK, CNVkit's SEG). */
export class NumberedChromosomes {
  #count = 0;

  read(row: Row): void {
    if (positionColumns.some((column) => numbered.has(String(row[column])))) this.#count += 1;
  }

  get remarks(): string[] {
    if (this.#count === 0) return [];
    return [
      `${this.#count} records are on chromosome 25 or 26 and keep these names: PLINK uses them for XY and MT, other tools differ. 23 and 24 were read as X and Y. Rename them to X, Y, MT.`,
    ];
  }
}
