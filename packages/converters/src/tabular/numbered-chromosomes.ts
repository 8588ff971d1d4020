import type { Row } from '@ploidy/formats';

const columns = ['chromosome', 'chromosome1', 'chromosome2'];
const numbered = new Set(['25', '26', 'chr25', 'chr26']);

/** Finds chromosomes whose numbers mean other contigs than X and Y in some programs (PLINK, CNVkit's SEG). */
export class NumberedChromosomes {
  #count = 0;

  read(row: Row): void {
    if (columns.some((column) => numbered.has(String(row[column])))) this.#count += 1;
  }

  get remarks(): string[] {
    if (this.#count === 0) return [];
    return [
      `${this.#count} records are on chromosome 25 or 26 and keep these names: PLINK uses them for XY and MT, other tools differ. 23 and 24 were read as X and Y. Rename them to X, Y, MT.`,
    ];
  }
}
