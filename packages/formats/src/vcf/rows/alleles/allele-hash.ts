import { type ByteWriter, bytesOf } from '../../../bytes.ts';

/** FNV-1a with 64 bits (Fowler, Noll, Vo), in two halves: the prime is 2^40 + 0x1b3. */
export class AlleleHash {
  /** Signed, because a larger number would be an object each. */
  #high = 0;
  #low = 0;

  start(): void {
    this.#high = 0xcbf29ce4 | 0;
    this.#low = 0x84222325 | 0;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    let high = this.#high;
    let low = this.#low;
    for (let index = start; index < end; index += 1) {
      low ^= bytes[index] as number;
      // The product has more bits than the compiler's whole numbers: it is computed as two, of 16 bits each times the prime's
      // lower half.
      const first = Math.imul(low & 0xffff, 0x1b3);
      const second = Math.imul(low >>> 16, 0x1b3) + (first >>> 16);
      high = (Math.imul(high, 0x1b3) + (low << 8) + (second >>> 16)) | 0;
      low = (second << 16) | (first & 0xffff);
    }
    this.#high = high;
    this.#low = low;
  }

  /** Formats as sixteen hexadecimal digits. */
  write(target: ByteWriter): void {
    target.reserve(16);
    writeHalf(this.#high, target.bytes, target.length);
    writeHalf(this.#low, target.bytes, target.length + 8);
    target.length += 16;
  }
}

function writeHalf(half: number, target: Uint8Array, at: number): void {
  for (let digit = 0; digit < 8; digit += 1)
    target[at + digit] = hexadecimal[(half >>> (28 - digit * 4)) & 15] as number;
}

const hexadecimal = bytesOf('0123456789abcdef');
