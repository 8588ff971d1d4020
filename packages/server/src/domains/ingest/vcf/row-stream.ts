import { isUtf8 } from 'node:buffer';
import { Transform, type TransformCallback } from 'node:stream';
import { InputError, type RecordMapper, recordFault } from '@ploidy/formats';
import type { Reporter } from '../../../platform/engine/conversion.ts';
import type { VariantFile } from './variant-file.ts';

/** A line longer than this is refused: it is kept whole in memory. */
const lineBytesMax = 64 << 20;
/** ASCII's unit separator; it stands in no sound record. */
const unitSeparator = '\u001f';

export interface RowStreamSettings {
  mapper: RecordMapper;
  /** Takes the row groups of the mapper. */
  file: VariantFile;
  headerLineCount: number;
  sampleCount: number;
  onError: 'fail' | 'skip';
  report: Reporter;
}

/**
 * The text of a VCF → the bytes of its Parquet file. The header and blank lines are dropped. The first broken line ends it with `InputError`, or
 * each is left out and reported.
 */
export class RowStream extends Transform {
  readonly #settings: RowStreamSettings;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #line = 0;

  constructor(settings: RowStreamSettings) {
    super({ readableHighWaterMark: 4 << 20 });
    this.#settings = settings;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const end = chunk.lastIndexOf(10) + 1;
    this.#attempt(done, () => {
      // Only the line that began before is put together: copying all would keep the collector of garbage busy.
      const start = end > 0 && this.#restBytes > 0 ? chunk.indexOf(10) + 1 : 0;
      if (start > 0) this.#lines(Buffer.concat([...this.#rest, chunk.subarray(0, start)]));
      if (end > start) this.#lines(chunk.subarray(start, end));
      this.#keep(chunk.subarray(end), end > 0);
    });
  }

  override _flush(done: TransformCallback): void {
    this.#attempt(done, () => {
      if (this.#restBytes > 0) this.#lines(Buffer.concat([...this.#rest, newline]));
      this.#settings.mapper.end();
      this.#settings.file.end();
    });
  }

  #attempt(done: TransformCallback, work: () => void): void {
    try {
      work();
      for (const bytes of this.#settings.file.take()) this.push(bytes);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  #keep(bytes: Buffer, isNew: boolean): void {
    if (isNew) this.#rest = [];
    this.#restBytes = (isNew ? 0 : this.#restBytes) + bytes.length;
    if (bytes.length > 0) this.#rest.push(bytes);
    if (this.#restBytes > lineBytesMax) {
      const line = this.#line + 1;
      throw new InputError(`Line ${line} is longer than ${lineBytesMax >> 20} MiB.`, { line });
    }
  }

  /** Whole lines. What is checked for all of them at once is not checked for each. */
  #lines(bytes: Buffer): void {
    const { mapper, headerLineCount } = this.#settings;
    const isEven = isUtf8(bytes) && bytes.indexOf(13) < 0 && bytes.indexOf(unitSeparator) < 0;
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#line += 1;
      if (this.#line > headerLineCount && end > start) {
        if (!isEven) this.#unevenLine(bytes.subarray(start, end));
        else if (!mapper.map(bytes, start, end)) this.#broken(bytes.subarray(start, end));
      }
      start = end + 1;
    }
  }

  #unevenLine(bytes: Buffer): void {
    const line = bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes;
    if (line.length === 0) return;
    if (!isUtf8(line)) this.#broken(line, 'it is not UTF-8 text');
    else if (
      line.includes(13) ||
      line.includes(unitSeparator) ||
      !this.#settings.mapper.map(line, 0, line.length)
    )
      this.#broken(line);
  }

  #broken(bytes: Buffer, known?: string): void {
    const { sampleCount, onError, report } = this.#settings;
    const fault =
      known ?? recordFault(bytes.toString('utf8'), sampleCount) ?? 'its alleles or texts are too long';
    const line = this.#line;
    if (onError === 'fail') throw new InputError(`Line ${line} is no VCF record: ${fault}.`, { line });
    report.warn({ line, message: `Skipped, it is no VCF record: ${fault}.` });
  }
}

const newline = Buffer.from('\n');
