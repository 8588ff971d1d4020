import { ByteWriter, textOf } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import { bcfDictionaries } from './dictionaries.ts';
import { RecordText } from './record-text.ts';

/** `BCF`, 2 and the minor version. */
const magicBytes = 5;
const headerBytesMax = 64 << 20;
/** Maximum line, as for a VCF. */
const recordBytesMax = 64 << 20;
const endOfFile = 'The BCF ends in the middle of a record or of its header: it is not complete.';

/** Returns whether inflated bytes are a BCF 2. */
export function isBcf(bytes: Uint8Array): boolean {
  return textOf(bytes, 0, 3) === 'BCF' && bytes[3] === 2 && (bytes[4] === 1 || bytes[4] === 2);
}

/** Converts inflated bytes of a BCF into the text of the same VCF, as they arrive. */
export class BcfText {
  readonly #target = new ByteWriter(1 << 18);
  /** Bytes that are not yet whole records, and how many make the next one whole. */
  readonly #pieces: Uint8Array[] = [];
  #size = 0;
  #needed = magicBytes + 4;
  #record: RecordText | undefined;
  #recordCount = 0;

  /** Adds bytes; returns the lines that are complete, valid until the next call. Throws `InputError` for a damaged file. */
  add(chunk: Uint8Array): Uint8Array {
    this.#target.length = 0;
    this.#pieces.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) {
      // The caller may reuse the memory.
      this.#pieces[this.#pieces.length - 1] = chunk.slice();
      return this.#target.written;
    }
    const bytes = this.#joined();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = this.#record ? 0 : this.#header(bytes, view);
    while (this.#record && bytes.length - at >= 8) {
      const sharedBytes = view.getUint32(at, true);
      const sampleBytes = view.getUint32(at + 4, true);
      if (sharedBytes + sampleBytes > recordBytesMax) throw this.#damaged('it is longer than 64 MiB');
      this.#needed = 8 + sharedBytes + sampleBytes;
      if (bytes.length - at < this.#needed) break;
      this.#recordCount += 1;
      try {
        this.#record.write(bytes, at + 8, sharedBytes, sampleBytes);
      } catch (error) {
        throw error instanceof InputError ? this.#damaged(error.message) : error;
      }
      at += this.#needed;
      this.#needed = 8;
    }
    this.#pieces.push(bytes.slice(at));
    this.#size = bytes.length - at;
    return this.#target.written;
  }

  /** Ends the file. Throws `InputError` if a part of it is missing. */
  end(): void {
    if (!this.#record || this.#size > 0) throw new InputError(endOfFile);
  }

  /** Reads the header once it is whole; returns the start of the records. */
  #header(bytes: Uint8Array, view: DataView): number {
    const size = view.getUint32(magicBytes, true);
    if (size > headerBytesMax) throw new InputError('The header of the BCF is longer than 64 MiB.');
    const start = magicBytes + 4;
    this.#needed = start + size;
    if (bytes.length < this.#needed) return 0;
    const zero = bytes.indexOf(0, start);
    const end = zero < 0 || zero > start + size ? start + size : zero;
    const text = textOf(bytes, start, end);
    this.#record = new RecordText(this.#target, bcfDictionaries(text));
    this.#target.slice(bytes, start, end);
    if (!text.endsWith('\n')) this.#target.byte(10);
    this.#needed = 8;
    return start + size;
  }

  #joined(): Uint8Array {
    const [first] = this.#pieces;
    const all = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    return all;
  }

  #damaged(reason: string): InputError {
    return new InputError(`Record ${this.#recordCount} of the BCF cannot be read: ${reason}.`);
  }
}
