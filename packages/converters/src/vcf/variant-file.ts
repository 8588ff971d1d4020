import type { FileDigest } from '@ploidy/engine/task-runtime';
import {
  compareKeys,
  type ParquetColumn,
  ParquetFile,
  type PlacedGroup,
  type SortedGroup,
  type WrittenValues,
} from '@ploidy/formats';
import { compressPage } from '../tables/compress-page.ts';
import { DigestedFile } from '../tables/digested-file.ts';
import type { MappedGroup } from './stretches/stretch-mapper.ts';

interface Group extends Pick<SortedGroup, 'first' | 'last'> {
  /** Bytes of the source. */
  place: number;
  written: PlacedGroup;
}

/**
 * Parquet file of `variant`, of `variant_call`, or of alleles with some of the columns. Row groups arrive in the order of the
 * source, and are listed by their keys where that sorts all rows. Rows with the same key keep the order of the source in any
 * case.
 */
export class VariantFile {
  /** Set at the end if the rows are in the order of chromosome and position. */
  isSorted = false;
  readonly #parquet: ParquetFile;
  readonly #groups: Group[] = [];
  readonly #file: DigestedFile;

  constructor(path: string, columns: readonly ParquetColumn[]) {
    this.#parquet = new ParquetFile(columns, compressPage);
    this.#file = new DigestedFile(path);
    this.#file.write(this.#parquet.begin());
  }

  get rowCount(): number {
    return this.#parquet.rowCount;
  }

  get values(): WrittenValues {
    return this.#parquet.values;
  }

  add({ bytes, group, first, last }: MappedGroup): void {
    const written = this.#parquet.place(group, bytes.length);
    this.#groups.push({ place: this.#groups.length, first, last, written });
    this.#file.write(bytes);
  }

  async end(): Promise<FileDigest> {
    const sorted = this.#groups.toSorted((left, right) => compareKeys(left.first, right.first));
    this.isSorted = sorted.every((group, index) => {
      const before = sorted[index - 1];
      return before === undefined || isBefore(before, group);
    });
    const listed = this.isSorted ? sorted : this.#groups;
    this.#file.write(this.#parquet.end(listed.map(({ written }) => written)));
    return await this.#file.end();
  }

  /** Closes the file, also an abandoned one. */
  close(): void {
    this.#file.close();
  }
}

/** Returns whether all rows of a group precede those of another; rows with equal keys follow the order of the source. */
function isBefore(left: Group, right: Group): boolean {
  const order = compareKeys(left.last, right.first);
  return order < 0 || (order === 0 && left.place < right.place);
}
