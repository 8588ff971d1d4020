import { InputError } from '../input-error.ts';
import { type Delimiter, fieldsOf, isOpen } from './fields.ts';
import { RecordFault } from './record-fault.ts';

/** A line longer than this is refused: it is kept whole in memory. */
const lineBytesMax = 16 << 20;
/** Maximum lines of a quoted field: a longer one was most likely never closed. */
const recordLengthMax = 1 << 20;

/** Receives the records of the reader. `line` counts from 1: that in which the record begins. */
export interface RecordTaker {
  record(fields: string[], line: number): void;
  /** Reports a broken record. */
  fault(fault: RecordFault, line: number): void;
}

/**
 * Splits chunks of bytes into records. Line ends are LF or CRLF, the last may be missing; blank lines and a byte order mark are
 * skipped. Memory holds one chunk and one record.
 */
export class RecordReader {
  readonly #delimiter: Delimiter;
  /** Lines before the records. */
  readonly #skipped: number;
  readonly #taker: RecordTaker;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** Set if a quoted field may contain line ends. */
  readonly #mayContinue: boolean;
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #line = 0;
  /** Record whose quoted field continues in the next line, and the line in which it began. */
  #open = '';
  #openLine = 0;

  constructor(delimiter: Delimiter, skipped: number, taker: RecordTaker) {
    this.#delimiter = delimiter;
    this.#mayContinue = delimiter !== '\t' && delimiter !== '\n';
    this.#skipped = skipped;
    this.#taker = taker;
  }

  add(bytes: Uint8Array): void {
    const end = bytes.lastIndexOf(10) + 1;
    if (end > 0) this.#lines(this.#whole(bytes.subarray(0, end)));
    if (end === bytes.length) return;
    this.#rest.push(bytes.slice(end));
    this.#restBytes += bytes.length - end;
    if (this.#restBytes > lineBytesMax) {
      const line = this.#line + 1;
      throw new InputError(`Line ${line} is longer than ${lineBytesMax >> 20} MiB.`, { line });
    }
  }

  end(): void {
    if (this.#restBytes > 0) this.#lines(this.#whole(new Uint8Array()));
    if (this.#openLine > 0) this.#unclosed();
  }

  #whole(bytes: Uint8Array): Uint8Array {
    if (this.#restBytes === 0) return bytes;
    const whole = new Uint8Array(this.#restBytes + bytes.length);
    let at = 0;
    for (const piece of [...this.#rest, bytes]) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.#rest = [];
    this.#restBytes = 0;
    return whole;
  }

  #lines(bytes: Uint8Array): void {
    const text = this.#decoded(bytes);
    if (text === undefined) this.#oneByOne(bytes);
    else {
      let start = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        this.#addLine(text.slice(start, end));
        start = end + 1;
      }
      if (start < text.length) this.#addLine(text.slice(start));
    }
  }

  /** Reports invalid UTF-8 for the invalid lines of a chunk only. */
  #oneByOne(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(10, start);
      const stop = end < 0 ? bytes.length : end;
      this.#addLine(this.#decoded(bytes.subarray(start, stop)));
      start = stop + 1;
    }
  }

  #decoded(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined; // Invalid UTF-8, the only reason for which a fatal decoder throws.
    }
  }

  #addLine(text: string | undefined): void {
    this.#line += 1;
    if (this.#line <= this.#skipped) return;
    if (text === undefined) {
      this.#taker.fault(new RecordFault('it is not UTF-8 text'), this.#openLine || this.#line);
      return;
    }
    const unmarked = this.#line === 1 ? text.replace(/^\ufeff/, '') : text;
    const line = unmarked.endsWith('\r') ? unmarked.slice(0, -1) : unmarked;
    if (this.#openLine > 0) this.#continue(line);
    else if (this.#mayContinue && isOpen(line)) {
      this.#open = line;
      this.#openLine = this.#line;
    } else if (line !== '') this.#record(line, this.#line);
  }

  #continue(line: string): void {
    this.#open += `\n${line}`;
    if (this.#open.length > recordLengthMax) this.#unclosed();
    if (!isOpen(line)) return;
    const [record, start] = [this.#open, this.#openLine];
    this.#openLine = 0;
    this.#open = '';
    this.#record(record, start);
  }

  #record(text: string, line: number): void {
    try {
      if (text.includes('\r') || text.includes('\0'))
        throw new RecordFault('the line contains a control character');
      this.#taker.record(fieldsOf(text, this.#delimiter), line);
    } catch (error) {
      if (!(error instanceof RecordFault)) throw error;
      this.#taker.fault(error, line);
    }
  }

  #unclosed(): never {
    const line = this.#openLine;
    throw new InputError(`A quoted field that begins in line ${line} does not end.`, { line });
  }
}
