import type { ByteWriter } from '../../bytes.ts';

/** FNV-1a with 64 bits (Fowler, Noll, Vo), in two halves: the prime is 2^40 + 0x1b3. */
export class AlleleHash {
  #high = 0;
  #low = 0;

  start(): void {
    this.#high = 0xcbf29ce4;
    this.#low = 0x84222325;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    let high = this.#high;
    let low = this.#low;
    for (let index = start; index < end; index += 1) {
      low = (low ^ (bytes[index] as number)) >>> 0;
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + Math.imul(low, 0x100) + Math.floor(product / 2 ** 32)) >>> 0;
      low = product >>> 0;
    }
    this.#high = high;
    this.#low = low;
  }

  /** Sixteen hexadecimal digits. */
  write(target: ByteWriter): void {
    for (const half of [this.#high, this.#low]) {
      for (let shift = 28; shift >= 0; shift -= 4) target.byte(hexadecimal.charCodeAt((half >>> shift) & 15));
    }
  }
}

const hexadecimal = '0123456789abcdef';
