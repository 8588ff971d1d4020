import { closeSync, openSync, writeSync } from 'node:fs';
import { type Column, compareKeys, ParquetFile, type SortedGroup, type WrittenGroup } from '@ploidy/formats';
import { compressed } from '../tables/compressed.ts';
import type { MappedGroup } from './stretch-mapper.ts';

/** The Parquet file of `variant`, or of alleles with some of its columns. Row groups come in the order of the source and are listed in that of their keys. */
export class VariantFile {
  readonly #parquet: ParquetFile;
  readonly #groups: (Pick<SortedGroup, 'first' | 'last'> & { written: WrittenGroup })[] = [];
  #file: number | undefined;

  constructor(path: string, columns: readonly Column[]) {
    this.#parquet = new ParquetFile(columns, compressed);
    this.#file = openSync(path, 'w');
    this.#write(this.#parquet.begin());
  }

  add({ bytes, group, first, last }: MappedGroup): void {
    this.#groups.push({ first, last, written: this.#parquet.place(group, bytes.length) });
    this.#write(bytes);
  }

  end(): void {
    this.#groups.sort((left, right) => compareKeys(left.first, right.first));
    this.#write(this.#parquet.end(this.#groups.map(({ written }) => written)));
    this.close();
  }

  /** Lets go of the file, also of one that was given up. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** After the end: whether the rows stand in the order of chromosome and position. */
  get isSorted(): boolean {
    return this.#groups.every(({ first }, index) => {
      const before = this.#groups[index - 1];
      return before === undefined || compareKeys(before.last, first) <= 0;
    });
  }

  #write(bytes: Uint8Array): void {
    if (this.#file === undefined) throw new Error('The file has ended');
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }
}
