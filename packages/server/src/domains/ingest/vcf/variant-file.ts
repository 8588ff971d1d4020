import { type Column, compareKeys, ParquetFile, type PlacedGroup, type SortedGroup } from '@ploidy/formats';
import type { Seal } from '../../../platform/engine/worker/digest.ts';
import { compressed } from '../tables/compressed.ts';
import { SealedFile } from '../tables/sealed-file.ts';
import type { MappedGroup } from './stretch-mapper.ts';

/** The Parquet file of `variant`, or of alleles with some of its columns. Row groups come in the order of the source and are listed in that of their keys. */
export class VariantFile {
  readonly #parquet: ParquetFile;
  readonly #groups: (Pick<SortedGroup, 'first' | 'last'> & { written: PlacedGroup })[] = [];
  readonly #file: SealedFile;

  constructor(path: string, columns: readonly Column[]) {
    this.#parquet = new ParquetFile(columns, compressed);
    this.#file = new SealedFile(path);
    this.#file.write(this.#parquet.begin());
  }

  add({ bytes, group, first, last }: MappedGroup): void {
    this.#groups.push({ first, last, written: this.#parquet.place(group, bytes.length) });
    this.#file.write(bytes);
  }

  async end(): Promise<Seal> {
    this.#groups.sort((left, right) => compareKeys(left.first, right.first));
    this.#file.write(this.#parquet.end(this.#groups.map(({ written }) => written)));
    return await this.#file.end();
  }

  /** Lets go of the file, also of one that was given up. */
  close(): void {
    this.#file.close();
  }

  /** After the end: whether the rows stand in the order of chromosome and position. */
  get isSorted(): boolean {
    return this.#groups.every(({ first }, index) => {
      const before = this.#groups[index - 1];
      return before === undefined || compareKeys(before.last, first) <= 0;
    });
  }
}
