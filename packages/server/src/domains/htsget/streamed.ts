import type { BinningIndex } from '@ploidy/formats/binning';
import { InputError } from '@ploidy/formats/input-error';
import type { OperationName } from '../../access/operations.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import { BgzfBlob } from './bgzf-blob.ts';
import { ByteBoundedCache } from './byte-bounded-cache.ts';
import { type Header, type HeaderReading, readHeader } from './header.ts';
import { unsupportedFormat } from './problem.ts';

/** Where the records of each sequence lie. */
export interface SequenceIndex {
  /** Numbers of the sequences in `bins`, by name. One without records may have a number that `bins` does not know. */
  numbers: ReadonlyMap<string, number>;
  bins: BinningIndex;
}

/** Something that tickets are made of. */
export interface Streamed {
  attributes: ResourceAttributes;
  /** Its bytes, in BGZF. Problem when there are none to give. */
  blob(): BlobInfo;
  header(): Promise<Header>;
  /** Problem 503 while the index is being built and `signal` is not aborted, 400 when there can be none. */
  index(signal: AbortSignal): Promise<SequenceIndex>;
}

/** One of the two areas of the standard. */
export interface Kind {
  name: 'reads' | 'variants';
  format: 'BAM' | 'VCF';
  /** Who gets a ticket. */
  operation: OperationName;
  /** `id` names it; `undefined` when it is not in the account. */
  find(account: string, id: string): Promise<Streamed | undefined>;
}

/** About what a name takes as a key of a map. */
const nameBytes = 120;

/** Headers and indexes that were read, by their blobs: a bounded number of bytes of each. */
export class Contents {
  readonly #blobs: Blobs;
  readonly #headers: ByteBoundedCache<Header>;
  readonly #indexes: ByteBoundedCache<SequenceIndex>;

  constructor(blobs: Blobs, bytesMax: number) {
    this.#blobs = blobs;
    this.#headers = new ByteBoundedCache(
      bytesMax / 2,
      ({ inline, references }) => 1000 + (inline?.length ?? 0) + references.length * nameBytes,
    );
    this.#indexes = new ByteBoundedCache(
      bytesMax / 2,
      ({ numbers, bins }) => 1000 + bins.byteLength + numbers.size * nameBytes,
    );
  }

  file(blob: BlobInfo): BgzfBlob {
    return new BgzfBlob(this.#blobs, blob);
  }

  /** Problem 400 `UnsupportedFormat` when the file is not what `read` knows. */
  header(blob: BlobInfo, read: (bytes: Uint8Array, isWhole: boolean) => HeaderReading): Promise<Header> {
    return this.#headers.get(blob.key, () =>
      readHeader(this.file(blob), read).catch((error: unknown) => {
        if (!(error instanceof InputError)) throw error;
        throw unsupportedFormat(`${error.message} Only files that bgzip compressed are given here.`);
      }),
    );
  }

  index(
    blob: BlobInfo,
    read: (bytes: Buffer) => SequenceIndex | Promise<SequenceIndex>,
  ): Promise<SequenceIndex> {
    return this.#indexes.get(blob.key, async () => {
      const chunks: Buffer[] = await (await this.#blobs.open(blob.key)).toArray();
      return read(Buffer.concat(chunks));
    });
  }
}
