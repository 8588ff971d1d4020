import { chromosomeName, type Row } from '@ploidy/formats';

/** Names of months in the languages of offices, as a spreadsheet shortens them. */
const months =
  'jan|janv|gen|ene|feb|févr|fév|mar|mär|mrz|mars|mrt|apr|avr|abr|may|mai|mag|mei|maj|jun|juin|giu|jul|juil|lug|aug|août|aoû|ago|sept|sep|set|oct|okt|ott|out|nov|dec|dez|déc|dic|des';
const month = `(?:${months})\\.?`;
/** Dates and numbers that spreadsheets make of symbols: `1-Mar`, `01.Mrz` and `2021-03-01` of MARCH1, `2.31E+13` of RIKEN's 2310009E13. */
const changed = new RegExp(
  `^(?:\\d{1,2}[-./ ]{1,2}${month}(?:[-./ ]\\d{2,4})?|${month}[-./ ](?:\\d{4}|\\d{2})|\\d{4}-\\d\\d-\\d\\d(?:[ T][\\d:]+)?|\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}|\\d[.,]\\d+e\\+\\d+|4[0-9]{4})$`,
  'i',
);

const genesMax = 200;
const chromosomesMax = 200;
const geneColumns = ['gene', 'gene_id', 'gene_name', 'gene1', 'gene2'];
const chromosomeColumns = ['chromosome', 'chromosome1', 'chromosome2'];
const positionColumns = ['position', 'start_position', 'start_position1', 'start_position2'];
const isRounded = (text: string): boolean => /^\d(?:\.\d+)?e\+?\d+$/i.test(text.trim());
/** Chromosomes that are no human ones: dogs have 38, cattle 29. */
const aboveHuman = /^(?:chr)?(?:2[7-9]|[3-9]\d)$/i;
const numbered = new Set(['25', '26', 'chr25', 'chr26']);

/** Counts values of rows that a program on the way has changed, or that mean different things in different programs. */
export class RowChecks {
  readonly #names = new Set<string>();
  /** The first genes. */
  readonly genes: string[] = [];
  /** The first chromosomes. */
  readonly chromosomes = new Set<string>();
  #numberedCount = 0;
  #roundedCount = 0;
  /** A number was read as X or Y. */
  #hasNumberedSex = false;
  /** A chromosome that humans lack. */
  #hasOther = false;

  /** Takes a row of each record: its others are of the same genes, at the same place. */
  read(row: Row, fields: readonly string[]): void {
    for (const column of geneColumns) {
      const name = row[column];
      if (typeof name !== 'string') continue;
      if (this.genes.length < genesMax) this.genes.push(name);
      if (!changed.test(name)) continue;
      // Entrez's numbers of genes are as long as those of days.
      if (/^\d{5}$/.test(name) && (column === 'gene_id' || row['gene_id'] === name)) continue;
      this.#names.add(name);
    }
    if (positionColumns.some((column) => Number(row[column]) % 1000 === 0) && fields.some(isRounded))
      this.#roundedCount += 1;
    this.#readChromosome(row, fields);
    if (chromosomeColumns.some((column) => numbered.has(String(row[column])))) this.#numberedCount += 1;
  }

  #readChromosome(row: Row, fields: readonly string[]): void {
    const name = row['chromosome'] ?? row['chromosome1'];
    if (typeof name === 'string' && this.chromosomes.size < chromosomesMax) this.chromosomes.add(name);
    if (name === 'chrX' || name === 'chrY')
      this.#hasNumberedSex ||= !fields.some((field) => chromosomeName(field) === name);
    else if (typeof name === 'string') this.#hasOther ||= aboveHuman.test(name);
  }

  /** Describes for people why 23 and 24, which were read as X and Y, cannot be these. */
  get fault(): string | undefined {
    if (!this.#hasNumberedSex || !this.#hasOther) return undefined;
    return 'The file has chromosomes 23 or 24, which are X and Y of a human genome, beside chromosomes above 26, which no human has. Leave out the records of other species.';
  }

  get remarks(): string[] {
    const [first] = this.#names;
    const remarks: string[] = [];
    if (first !== undefined)
      remarks.push(
        `${this.#names.size} gene names are dates or numbers, such as ${first}: a spreadsheet has changed them. They are kept as they are. Ingest the original file instead.`,
      );
    if (this.#roundedCount > 0)
      remarks.push(
        `${this.#roundedCount} records have a position with an exponent, such as 1.15e+08: digits may have been rounded away on the way. Write positions as whole numbers (in R: options(scipen = 15)).`,
      );
    if (this.#numberedCount > 0)
      remarks.push(
        `${this.#numberedCount} records are on chromosome 25 or 26 and keep these names: PLINK uses them for XY and MT, other tools differ. 23 and 24 were read as X and Y. Rename them to X, Y, MT.`,
      );
    return remarks;
  }
}
