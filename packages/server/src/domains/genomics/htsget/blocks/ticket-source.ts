import type { Chunk } from '@ploidy/formats/binning';
import { InputError } from '@ploidy/formats/input-error';
import type { OperationName } from '../../../../access/operations.ts';
import type { ResourceAttributes } from '../../../../access/resource.ts';
import type { Wait } from '../../../../api/route.ts';
import type { BlobInfo, Blobs } from '../../../../platform/blobs/blobs.ts';
import { type Header, type HeaderReading, readHeader, type TicketFormat } from '../header.ts';
import { unsupportedFormat } from '../problem.ts';
import { BgzfBlob } from './bgzf-blob.ts';
import type { BlockStream } from './block-stream.ts';
import type { Piece } from './block-urls.ts';
import { ByteBoundedCache } from './byte-bounded-cache.ts';
import { CramBlob } from './cram-blob.ts';

/** Places of records by the number of their sequence, and where those without a place begin. */
interface Places {
  chunks(sequence: number, begin: number, end: number): Chunk[];
  readonly placedEnd: number | undefined;
  /** Bytes in memory. */
  readonly byteLength: number;
}

/** Index of a file's records by sequence. */
export interface SequenceIndex {
  /**
   * Numbers of the sequences in `bins`, by name. A sequence without records may have a number unknown to
   * `bins`.
   */
  numbers: ReadonlyMap<string, number>;
  bins: Places;
}

/** Resource that tickets can be made for. */
export interface TicketSource {
  attributes: ResourceAttributes;
  /** Its bytes. Problem if there are none. */
  blob(): BlobInfo;
  header(): Promise<Header>;
  /** Returns the bytes of a piece, ready to be concatenated with others. */
  piece(piece: Piece): BlockStream | Promise<BlockStream>;
  /** Problem 503 while the index is being built and the client waits, 400 if there can be none. */
  index(wait: Wait): Promise<SequenceIndex>;
}

/** Endpoint of the standard: reads or variants. */
export interface Kind {
  name: 'reads' | 'variants';
  /** Formats of its files; each file is given in its own. */
  formats: readonly TicketFormat[];
  /** Operation that permits a ticket. */
  operation: OperationName;
  /** Finds a resource by id; `undefined` if the account has none. */
  find(account: string, id: string): Promise<TicketSource | undefined>;
}

/** Reason why a file has no header, kept like one: a million contigs take 0.3 s to read, for each request. */
interface Refusal {
  refused: string;
}

/** Approximate memory of a name as a map key. */
const nameBytes = 120;

/** Cache of headers and indexes by blob, each bounded in bytes. */
export class Contents {
  readonly #blobs: Blobs;
  readonly #headers: ByteBoundedCache<Header | Refusal>;
  readonly #indexes: ByteBoundedCache<SequenceIndex>;

  constructor(blobs: Blobs, bytesMax: number) {
    this.#blobs = blobs;
    this.#headers = new ByteBoundedCache(bytesMax / 2, (header) =>
      'refused' in header ? 1000 : 1000 + (header.inline?.length ?? 0) + header.references.length * nameBytes,
    );
    this.#indexes = new ByteBoundedCache(
      bytesMax / 2,
      ({ numbers, bins }) => 1000 + bins.byteLength + numbers.size * nameBytes,
    );
  }

  file(blob: BlobInfo): BgzfBlob {
    return new BgzfBlob(this.#blobs, blob);
  }

  cram(blob: BlobInfo): CramBlob {
    return new CramBlob(this.#blobs, blob);
  }

  cramHeader(blob: BlobInfo): Promise<Header> {
    return this.#header(`reads ${blob.key}`, () => this.cram(blob).header());
  }

  /** Problem 400 `UnsupportedFormat` if `read`, of the files of this kind, does not recognise the file. */
  header(
    kind: Kind['name'],
    blob: BlobInfo,
    read: (bytes: Uint8Array, isWhole: boolean) => HeaderReading,
  ): Promise<Header> {
    return this.#header(`${kind} ${blob.key}`, () =>
      readHeader(this.file(blob), read).catch((error: unknown) => {
        if (!(error instanceof InputError)) throw error;
        return { refused: `${error.message} Only files that bgzip compressed are given here.` };
      }),
    );
  }

  /** By kind: the bytes of a BAM may be asked for as reads, and as variants, which they are not. */
  async #header(key: string, make: () => Promise<Header | Refusal>): Promise<Header> {
    const header = await this.#headers.get(key, make);
    if ('refused' in header) throw unsupportedFormat(header.refused);
    return header;
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
