import { ByteWriter, type Value } from '@ploidy/formats';

const unwritable = /[\0-\x08\x0b\x0c\x0e-\x1f]/g;
/** Method that `Buffer.write` calls for Latin-1. A direct call needs a third of the time for short texts. */
interface NodeBuffer extends Buffer<ArrayBufferLike> {
  latin1Write(text: string, offset: number, length: number): number;
}

/** Texts up to this length have a length prefix of one byte. */
const shortMax = 126;

/**
 * Writes rows as cells, each with its length + 1 (LEB128) before its text (UTF-8); 0 is NULL. FHIR has no empty texts: they become
 * NULL, too. Control characters but tab and line breaks become U+FFFD.
 */
export class CellWriter extends ByteWriter {
  /** Set if all texts are printable ASCII, so that no character needs a check. */
  isPlain = false;
  /** Bytes of which `#buffer` is a view. A new view costs as much as writing a short text. */
  #viewed = this.bytes;
  #buffer: NodeBuffer = bufferOf(this.bytes);

  cell(value: Value): void {
    if (value === undefined) {
      this.byte(0);
      return;
    }
    const text = typeof value === 'string' ? value : String(value);
    const before = this.length;
    if (text.length <= shortMax) {
      this.byte(text.length === 0 ? 0 : text.length + 1);
      if (this.#ascii(text)) return;
      this.length = before;
    }
    this.document(text.replace(unwritable, '\ufffd'));
  }

  /** Writes a text without its length. */
  plain(text: string): void {
    if (!this.#ascii(text)) this.text(text);
  }

  /** Writes an ASCII text; returns false, and writes nothing, for other characters. */
  #ascii(text: string): boolean {
    this.reserve(text.length);
    if (!this.isPlain) return this.#checked(text);
    if (this.#viewed !== this.bytes) {
      this.#viewed = this.bytes;
      this.#buffer = bufferOf(this.bytes);
    }
    this.length += this.#buffer.latin1Write(text, this.length, text.length);
    return true;
  }

  #checked(text: string): boolean {
    const { bytes } = this;
    let at = this.length;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code >= 0x80 || (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d)) return false;
      bytes[at++] = code;
    }
    this.length = at;
    return true;
  }

  /** Writes a text without replacing characters. */
  document(text: string): void {
    this.variable((this.isPlain ? text.length : Buffer.byteLength(text)) + 1);
    if (this.isPlain) this.#ascii(text);
    else this.text(text);
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): NodeBuffer {
  return Buffer.from(buffer, byteOffset, byteLength) as NodeBuffer;
}

/** Reads cells one after the other. */
export class CellReader {
  #bytes: Uint8Array = new Uint8Array(0);
  /** Start of the next cell. */
  at = 0;
  /** Bounds of the current cell; NULL when `start` is above `end`. */
  start = 0;
  end = 0;

  get isNull(): boolean {
    return this.start > this.end;
  }

  from(bytes: Uint8Array, at: number): void {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): void {
    const bytes = this.#bytes;
    let length = bytes[this.at++] as number;
    if (length >= 128) {
      length &= 127;
      for (let factor = 128; ; factor *= 128) {
        const byte = bytes[this.at++] as number;
        length += (byte & 127) * factor;
        if (byte < 128) break;
      }
    }
    this.start = this.at;
    this.end = this.at + length - 1;
    if (length > 0) this.at = this.end;
  }

  /** Returns the current cell as ASCII text; '' for NULL. */
  ascii(): string {
    return this.isNull ? '' : Buffer.from(this.#bytes.subarray(this.start, this.end)).toString('latin1');
  }
}
