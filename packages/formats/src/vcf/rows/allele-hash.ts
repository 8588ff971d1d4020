import type { ByteWriter } from '../../bytes.ts';

/** FNV-1a with 64 bits (Fowler, Noll, Vo), in two halves: the prime is 2^40 + 0x1b3. */
export class AlleleHash {
  /** Signed, because larger numbers would each be an object. */
  #high = 0;
  #low = 0;

  start(): void {
    this.#high = 0xcbf29ce4 | 0;
    this.#low = 0x84222325 | 0;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    let high = this.#high;
    let low = this.#low >>> 0;
    for (let index = start; index < end; index += 1) {
      low = (low ^ (bytes[index] as number)) >>> 0;
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + Math.imul(low, 0x100) + Math.floor(product / 2 ** 32)) | 0;
      low = product >>> 0;
    }
    this.#high = high;
    this.#low = low | 0;
  }

  /** Sixteen hexadecimal digits. */
  write(target: ByteWriter): void {
    writeHalf(this.#high, target);
    writeHalf(this.#low, target);
  }
}

function writeHalf(half: number, target: ByteWriter): void {
  for (let shift = 28; shift >= 0; shift -= 4) target.byte(hexadecimal.charCodeAt((half >>> shift) & 15));
}

const hexadecimal = '0123456789abcdef';
