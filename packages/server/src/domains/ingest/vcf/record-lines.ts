import { isUtf8 } from 'node:buffer';
import { Transform, type TransformCallback } from 'node:stream';
import { InputError, recordFault } from '@ploidy/formats';
import type { Reporter } from '../../../platform/engine/conversion.ts';

/** A line longer than this is refused: the engine reads whole lines into memory. */
export const lineBytesMax = 32 << 20;

export interface RecordLinesSettings {
  headerLineCount: number;
  sampleCount: number;
  onError: 'fail' | 'skip';
  report: Reporter;
}

/**
 * The slow, exact way through a VCF's text: drops the header and blank lines, evens out line ends, and looks at every line. The first
 * broken one ends it with `InputError`, or each is left out and reported. It runs only after the engine has met a line
 * that it could not take.
 */
export class RecordLines extends Transform {
  readonly #settings: RecordLinesSettings;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #line = 0;

  constructor(settings: RecordLinesSettings) {
    super();
    this.#settings = settings;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      const good: Buffer[] = [];
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        this.#take(chunk.subarray(start, end), good);
        start = end + 1;
      }
      this.#keep(chunk.subarray(start));
      done(null, Buffer.concat(good));
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      const good: Buffer[] = [];
      if (this.#restBytes > 0) this.#take(Buffer.alloc(0), good);
      done(null, Buffer.concat(good));
    } catch (error) {
      done(error as Error);
    }
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
    if (this.#restBytes > lineBytesMax) {
      throw new InputError(`Line ${this.#line + 1} is longer than ${lineBytesMax >> 20} MiB.`, {
        line: this.#line + 1,
      });
    }
  }

  #take(bytes: Buffer, good: Buffer[]): void {
    const whole = this.#restBytes > 0 ? Buffer.concat([...this.#rest, bytes]) : bytes;
    this.#rest = [];
    this.#restBytes = 0;
    this.#line += 1;
    const line = whole.at(-1) === 13 ? whole.subarray(0, -1) : whole;
    if (this.#line <= this.#settings.headerLineCount || line.length === 0) return;
    const fault = isUtf8(line)
      ? recordFault(line.toString('latin1'), this.#settings.sampleCount)
      : 'it is not UTF-8 text';
    if (fault === undefined) {
      good.push(line, newline);
      return;
    }
    if (this.#settings.onError === 'fail') {
      throw new InputError(`Line ${this.#line} is no VCF record: ${fault}.`, { line: this.#line });
    }
    this.#settings.report.warn({ line: this.#line, message: `Skipped, it is no VCF record: ${fault}.` });
  }
}

const newline = Buffer.from('\n');
