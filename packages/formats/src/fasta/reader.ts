import { InputError } from '../input-error.ts';
import { readTitle, type SequenceTitle } from './title.ts';

/** Events of a FASTA reader, in the order of the file. */
interface FastaReceiver {
  begin(title: SequenceTitle): void;
  /** Bases in upper case; the bytes are valid only during the call. */
  bases(bytes: Uint8Array): void;
  end(): void;
}

/** Maximum length of a title line; the longest of public databases have some hundred characters. */
const titleBytesMax = 64 * 1024;
/** Maximum sequences; a genome that is read by position has fewer. */
export const sequencesMax = 1_000_000;

/** Upper-case codes by byte: IUPAC's of bases, `X`, and the signs for gaps. 0: another byte. 1: a blank, skipped. */
const codes = baseCodes();
const [lineFeed, carriageReturn] = [10, 13];
/** Signs after which bases would be a part of the title. */
const loneReturn =
  'A title line ends with a carriage return (CR) alone: save the file with LF or CRLF as line ends.';

/** Length of a byte order mark (UTF-8), which Windows programs write. A chunk is never so short that it divides one. */
const markLength = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

/** Reads FASTA from chunks of bytes. Throws `InputError` with line and column. Memory holds one chunk and the names. */
export class FastaReader {
  readonly #receiver: FastaReceiver;
  readonly #decoder = new TextDecoder();
  readonly #names = new Set<string>();
  #buffer = new Uint8Array(64 * 1024);
  /** Beginning of a title line whose end is still missing; absent outside of one. */
  #title: Uint8Array | undefined;
  #line = 1;
  #column = 1;

  constructor(receiver: FastaReceiver) {
    this.#receiver = receiver;
  }

  get sequences(): number {
    return this.#names.size;
  }

  take(bytes: Uint8Array): void {
    let at = this.#line === 1 && this.#column === 1 && !this.#title ? markLength(bytes) : 0;
    while (at < bytes.length) {
      const found = bytes.indexOf(lineFeed, at);
      const end = found < 0 ? bytes.length : found;
      this.#takePart(bytes.subarray(at, end));
      if (found >= 0) this.#endLine();
      at = end + 1;
    }
  }

  /** Ends the file. */
  finish(): void {
    if (this.#title) this.#endLine();
    if (this.#names.size === 0) throw new InputError('The file holds no sequence.');
    this.#receiver.end();
  }

  /** Reads a line, or the available part of it. */
  #takePart(part: Uint8Array): void {
    if (this.#title) this.#lengthen(part);
    else if (this.#column === 1 && part[0] === 0x3e) this.#title = part.slice();
    else this.#takeBases(part);
    this.#column += part.length;
  }

  #endLine(): void {
    if (this.#title) this.#begin(this.#title);
    this.#title = undefined;
    this.#line += 1;
    this.#column = 1;
  }

  #lengthen(part: Uint8Array): void {
    const title = this.#title as Uint8Array;
    if (title.length + part.length > titleBytesMax) {
      this.#refuseReturn(title);
      throw this.#error('A title line is too long.', 1);
    }
    const longer = new Uint8Array(title.length + part.length);
    longer.set(title);
    longer.set(part, title.length);
    this.#title = longer;
  }

  #refuseReturn(title: Uint8Array): void {
    const at = title.indexOf(carriageReturn);
    if (at >= 0) throw this.#error(loneReturn, at + 1);
  }

  #begin(bytes: Uint8Array): void {
    this.#refuseReturn(bytes.subarray(0, -1));
    if (bytes.length > titleBytesMax) throw this.#error('A title line is too long.', 1);
    const title = readTitle(this.#decoder.decode(bytes.subarray(1)));
    if (title.name === '') throw this.#error('A sequence has no name after its ">".', 1);
    if (this.#names.has(title.name)) throw this.#error('A sequence has the name of an earlier one.', 1);
    if (this.#names.size === sequencesMax) {
      throw this.#error(`The file has more than ${sequencesMax} sequences.`, 1);
    }
    if (this.#names.size > 0) this.#receiver.end();
    this.#names.add(title.name);
    this.#receiver.begin(title);
  }

  #takeBases(part: Uint8Array): void {
    if (this.#buffer.length < part.length) this.#buffer = new Uint8Array(part.length);
    const upper = this.#buffer;
    let count = 0;
    for (let at = 0; at < part.length; at += 1) {
      const code = codes[part[at] as number] as number;
      if (code > 1) {
        upper[count] = code;
        count += 1;
      } else if (code === 0) {
        const message = 'This is neither an IUPAC base code nor a gap: the file is not a nucleotide FASTA.';
        throw this.#error(message, this.#column + at);
      }
    }
    if (count === 0) return;
    if (this.#names.size === 0) throw this.#error('Bases precede the first title line (">").', this.#column);
    this.#receiver.bases(upper.subarray(0, count));
  }

  #error(message: string, column: number): InputError {
    return new InputError(message, { line: this.#line, column });
  }
}

function baseCodes(): Uint8Array {
  const table = new Uint8Array(256);
  for (const letter of 'ACGTUMRWSYKVHDBNX') {
    table[letter.charCodeAt(0)] = letter.charCodeAt(0);
    table[letter.toLowerCase().charCodeAt(0)] = letter.charCodeAt(0);
  }
  for (const sign of '-*.') table[sign.charCodeAt(0)] = sign.charCodeAt(0);
  for (const blank of ' \t\r\v\f') table[blank.charCodeAt(0)] = 1;
  return table;
}

/** Returns whether a text begins as a FASTA of nucleotides. */
export function isFasta(bytes: Uint8Array): boolean {
  const beginning = bytes.subarray(markLength(bytes));
  if (beginning[0] !== 0x3e) return false;
  const found = beginning.indexOf(lineFeed);
  if (found < 0) return false;
  const next = beginning.indexOf(lineFeed, found + 1);
  const second = beginning.subarray(found + 1, next < 0 ? beginning.length : next);
  return second[0] === 0x3e || second.every((byte) => codes[byte] !== 0);
}
