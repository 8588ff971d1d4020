import { type Column, compareKeys, ParquetFile, type SortedGroup, type WrittenGroup } from '@ploidy/formats';
import { compressed } from '../tables/compressed.ts';

/** The bytes of the Parquet file of `variant`, or of alleles with some of its columns. Row groups come in the order of the source and are listed in that of their keys. */
export class VariantFile {
  readonly #parquet: ParquetFile;
  readonly #groups: (Pick<SortedGroup, 'first' | 'last'> & { written: WrittenGroup })[] = [];
  #bytes: Uint8Array[];

  constructor(columns: readonly Column[]) {
    this.#parquet = new ParquetFile(columns, compressed);
    this.#bytes = [this.#parquet.begin()];
  }

  add({ columns, first, last }: SortedGroup): void {
    const { bytes, group: written } = this.#parquet.group(columns);
    this.#groups.push({ first, last, written });
    this.#bytes.push(bytes);
  }

  end(): void {
    this.#groups.sort((left, right) => compareKeys(left.first, right.first));
    this.#bytes.push(this.#parquet.end(this.#groups.map(({ written }) => written)));
  }

  /** The bytes since the last time. */
  take(): Uint8Array[] {
    return this.#bytes.splice(0);
  }

  /** After the end: whether the rows stand in the order of chromosome and position. */
  get isSorted(): boolean {
    return this.#groups.every(({ first }, index) => {
      const before = this.#groups[index - 1];
      return before === undefined || compareKeys(before.last, first) <= 0;
    });
  }
}
