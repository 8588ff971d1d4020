import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { Problem } from '../../problem.ts';
import type { PutOptions } from './blobs.ts';

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
    const { size, sizeMax } = this.#options;
    if (sizeMax !== undefined && this.size > sizeMax) {
      throw new Problem(413, 'TOO_LARGE', `At most ${sizeMax} bytes are taken: send a smaller file.`);
    }
    if (size !== undefined && this.size > size) throw sizeMismatch(size);
    this.#sha256.update(chunk);
    this.#md5?.update(chunk);
  }

  /** After the last byte: the SHA-256 in hex. Throws when the bytes are not the ones that were promised. */
  finish(): string {
    const { size, md5 } = this.#options;
    if (size !== undefined && this.size !== size) throw sizeMismatch(size);
    if (this.#md5 !== undefined && this.#md5.digest('base64') !== md5) {
      throw new Problem(
        400,
        'DIGEST_MISMATCH',
        'The bytes do not have the MD5 that was given: send them again.',
      );
    }
    return this.#sha256.digest('hex');
  }
}

function sizeMismatch(size: number): Problem {
  return new Problem(400, 'SIZE_MISMATCH', `Exactly ${size} bytes were announced: send that many.`);
}
