import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { Problem } from '../../base/problem.ts';
import type { BlobInfo, PutOptions } from './blobs.ts';

/** Counts and hashes the bytes of one blob and refuses them as soon as they are too many. */
export class Receiver {
  size = 0;
  readonly #sha256 = createHash('sha256');
  readonly #md5: Hash | undefined;
  readonly #options: PutOptions;

  constructor(options: PutOptions) {
    this.#options = options;
    this.#md5 = options.md5 === undefined ? undefined : createHash('md5');
  }

  take(chunk: Uint8Array): void {
    this.size += chunk.length;
    checkSizeMax(this.size, this.#options);
    const { size } = this.#options;
    if (size !== undefined && this.size > size) throw sizeMismatch(size);
    this.#sha256.update(chunk);
    this.#md5?.update(chunk);
  }

  /** After the last byte: the SHA-256 in hex. Throws when the bytes are not the ones that were promised. */
  finish(): string {
    checkSize(this.size, this.#options);
    checkDigest(this.#md5?.digest('base64'), this.#options);
    return this.#sha256.digest('hex');
  }
}

/** Reads bytes to their end, to know their size and hash, and that they are what was promised. */
export async function received(
  source: AsyncIterable<Uint8Array>,
  promised: PutOptions = {},
): Promise<{ size: number; sha256: string }> {
  const receiver = new Receiver(promised);
  for await (const chunk of source) receiver.take(chunk);
  return { sha256: receiver.finish(), size: receiver.size };
}

/** Throws when so many bytes are not what was promised, or more than are taken. */
export function checkSize(bytes: number, options: PutOptions): void {
  checkSizeMax(bytes, options);
  if (options.size !== undefined && bytes !== options.size) throw sizeMismatch(options.size);
}

function checkSizeMax(bytes: number, { sizeMax }: PutOptions): void {
  if (sizeMax === undefined || bytes <= sizeMax) return;
  throw new Problem(413, 'TOO_LARGE', `At most ${sizeMax} bytes are taken: send a smaller file.`);
}

/** Throws when a base64 MD5 was promised and this is another. */
export function checkDigest(md5: string | undefined, options: PutOptions): void {
  if (options.md5 === undefined || md5 === options.md5) return;
  const message = 'The bytes do not have the MD5 that was given: send them again.';
  throw new Problem(400, 'DIGEST_MISMATCH', message);
}

/** Throws when bytes are not those of a blob. */
export function requireSame(blob: BlobInfo, found: { size: number; sha256: string }): void {
  if (found.size === blob.size && found.sha256 === blob.sha256) return;
  throw new Problem(500, 'DIGEST_MISMATCH', `The bytes given for the blob ${blob.key} are not its own.`);
}

function sizeMismatch(size: number): Problem {
  return new Problem(400, 'SIZE_MISMATCH', `Exactly ${size} bytes were announced: send that many.`);
}
