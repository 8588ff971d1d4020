import { type FileHandle, open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { constants, zstdCompressSync } from 'node:zlib';
import { compareKeys, type EncodedGroup, ParquetFile, type WrittenGroup } from '@ploidy/formats';
import { columnsOf } from './catalogue.ts';

/** Row groups on their way into a Parquet file. They come in the order of the source and are listed in that of their keys. */
export class VariantFile extends Writable {
  readonly #path: string;
  readonly #parquet = new ParquetFile(columnsOf('variant'), compressed);
  readonly #groups: (Pick<EncodedGroup, 'first' | 'last'> & { written: WrittenGroup })[] = [];
  #file: FileHandle | undefined;

  constructor(path: string) {
    super({ objectMode: true, highWaterMark: 1 });
    this.#path = path;
  }

  /** Once it is finished: whether the rows stand in the order of chromosome and position. */
  get isSorted(): boolean {
    return this.#groups.every(({ first }, index) => {
      const before = this.#groups[index - 1];
      return before === undefined || compareKeys(before.last, first) <= 0;
    });
  }

  override _construct(done: (error?: Error | null) => void): void {
    this.#settle(this.#begin(), done);
  }

  override _write(
    group: EncodedGroup,
    _encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    const { bytes, group: written } = this.#parquet.group(group.columns);
    this.#groups.push({ first: group.first, last: group.last, written });
    this.#settle(this.#append(bytes), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#groups.sort((left, right) => compareKeys(left.first, right.first));
    this.#settle(this.#append(this.#parquet.end(this.#groups.map(({ written }) => written))), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#settle(this.#file?.close() ?? Promise.resolve(), (closing) => done(error ?? closing));
  }

  async #begin(): Promise<void> {
    this.#file = await open(this.#path, 'wx', 0o600);
    await this.#append(this.#parquet.begin());
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#file?.appendFile(bytes);
  }

  #settle(work: Promise<void>, done: (error?: Error | null) => void): void {
    work.then(() => done(), done);
  }
}

function compressed(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
