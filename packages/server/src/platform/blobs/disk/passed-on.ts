import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ByteRange } from '../blobs.ts';

/** Bytes of the file that are read at a time. */
const readBytes = 128 * 1024;
/**
 * Buffers that are used in turn. A stream into a response has at most six in flight. One is being read, one queued here, one in
 * a stream between, and three in the response.
 */
const pieceCount = 8;

/**
 * Stream of a file for a reader that passes chunks on (`OpenOptions`). New memory for each chunk is outside of the heap. Every
 * 32 MiB of it cause a full garbage collection. That was two thirds of the processor time of a download.
 */
export class PassedOnFile extends Readable {
  readonly #file: FileHandle;
  readonly #pieces: Buffer[] = [];
  #turn = 0;
  #at: number;
  readonly #end: number;

  /** Closes the file when it ends, fails or is destroyed. */
  constructor(file: FileHandle, { start, end }: ByteRange) {
    super({ highWaterMark: readBytes });
    this.#file = file;
    this.#at = start;
    this.#end = end;
  }

  override _read(): void {
    this.#next().then(
      (chunk) => this.push(chunk),
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    // Waits for a read that is under way.
    this.#file.close().then(
      () => callback(error),
      (failure: Error) => callback(error ?? failure),
    );
  }

  async #next(): Promise<Buffer | null> {
    const wanted = Math.min(readBytes, this.#end - this.#at);
    if (wanted === 0) return null;
    const piece = this.#piece(wanted);
    const { bytesRead } = await this.#file.read(piece, 0, wanted, this.#at);
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.');
    this.#at += bytesRead;
    return piece.subarray(0, bytesRead);
  }

  #piece(bytes: number): Buffer {
    const turn = this.#turn++ % pieceCount;
    this.#pieces[turn] ??= Buffer.allocUnsafeSlow(bytes);
    return this.#pieces[turn];
  }
}
