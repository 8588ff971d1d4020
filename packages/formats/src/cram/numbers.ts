import { InputError } from '../input-error.ts';

/** Reader of the numbers of a CRAM: little-endian and of variable length (CRAM spec §2.3). */
export class CramNumbers {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  byte(): number {
    const value = this.#bytes[this.at];
    if (value === undefined) throw new ShortCramError();
    this.at += 1;
    return value;
  }

  int32(): number {
    if (this.at + 4 > this.#bytes.length) throw new ShortCramError();
    this.at += 4;
    return this.#view.getInt32(this.at - 4, true);
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  /** Reads 32 bits in one to five bytes; leading ones of the first count those that follow. */
  itf8(): number {
    const first = this.byte();
    if (first < 0x80) return first;
    if (first < 0xc0) return ((first & 0x3f) << 8) | this.byte();
    if (first < 0xe0) return ((first & 0x1f) << 16) | (this.byte() << 8) | this.byte();
    if (first < 0xf0) return ((first & 0x0f) << 24) | (this.byte() << 16) | (this.byte() << 8) | this.byte();
    const high = ((first & 0x0f) << 28) | (this.byte() << 20) | (this.byte() << 12) | (this.byte() << 4);
    return high | (this.byte() & 0x0f);
  }

  /** Reads 64 bits in one to nine bytes. Their value is a count of the file, and not needed here. */
  skipLtf8(): void {
    const first = this.byte();
    for (let bit = 0x80; bit > 0 && (first & bit) !== 0; bit >>= 1) this.byte();
  }
}

/** Signals that the bytes end here, while more may follow in the file. */
export class ShortCramError extends InputError {
  constructor() {
    super('The CRAM ends too early: the file is not complete.');
    this.name = 'ShortCramError';
  }
}
