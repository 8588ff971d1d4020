import { readVirtualOffset, type VirtualOffset } from '../bgzf/index.ts';
import { InputError } from '../input-error.ts';

/** Reads the little-endian numbers of an index in order; claimed counts are checked against the remaining bytes. */
export class IndexReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.at;
  }

  /** Reads a number of items of a minimum size: never more than fit into the rest. */
  count(bytesEach: number, what: string): number {
    const count = this.int32();
    if (count < 0 || count * bytesEach > this.left) {
      throw new InputError(`The index claims ${count} ${what}, more than it has bytes for.`);
    }
    return count;
  }

  uint32(): number {
    this.#need(4);
    const value = this.#view.getUint32(this.at, true);
    this.at += 4;
    return value;
  }

  int32(): number {
    return this.uint32() | 0;
  }

  virtualOffset(): VirtualOffset {
    this.#need(8);
    const offset = readVirtualOffset(this.#view, this.at);
    if (!Number.isSafeInteger(offset)) throw new InputError('The index points beyond 128 GiB.');
    this.at += 8;
    return offset;
  }

  bytes(count: number): Uint8Array {
    this.#need(count);
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  magic(wanted: string, kind: string): void {
    const found = this.left < 4 ? '' : String.fromCharCode(...this.bytes(4));
    if (found !== wanted) throw new InputError(`This is not a ${kind} index.`);
  }

  #need(count: number): void {
    if (count > this.left) throw new InputError('The index is truncated.');
  }
}
