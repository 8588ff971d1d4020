import { readBamHeader } from '@ploidy/formats/bam';
import { type Chunk, readBai, readTabix } from '@ploidy/formats/binning';
import { CramIndex } from '@ploidy/formats/cram';
import { InputError } from '@ploidy/formats/input-error';
import { LRUCache } from 'lru-cache';
import type { BlobInfo, Blobs } from '../../../../platform/blobs/blobs.ts';
import { BgzfBlob } from '../blocks/bgzf-blob.ts';
import { cramHeader, type HeaderReading, type NamedHeader, readHeader } from './header.ts';
import type { Asked, ChunkQuestion } from './messages.ts';
import { readVariantsHeader } from './variants-header.ts';

/** Places of records by the number of their sequence, and where those without a place begin. */
interface Places {
  chunks(sequence: number, begin: number, end: number): Chunk[];
  readonly placedEnd: number | undefined;
  /** Bytes in memory. */
  readonly byteLength: number;
}

/** Index of a file's records by sequence. */
export interface SequenceIndex {
  /** Numbers of the sequences in `bins`, by name. A sequence without records may have a number unknown to `bins`. */
  numbers: ReadonlyMap<string, number>;
  bins: Places;
}

/** Reason why a file has no header, kept like one: a million contigs take 0.3 s to read, for each request. */
interface Refusal {
  refused: string;
}

/** Thrown for a file that is not given. */
export class RefusedFile extends Error {
  override name = 'RefusedFile';
}

/** Formats that are given, by the kind as which a file is read. */
const hints: Readonly<Record<Asked['readAs'], string>> = {
  BAM: ' Only files that bgzip compressed are given here.',
  CRAM: '',
  VARIANTS: ' Only VCF and BCF are given here.',
};

/** Approximate memory of a name as a map key. */
const nameBytes = 120;

/**
 * Cache of headers and indexes by blob, each bounded in bytes. Reading one may last seconds, as its file decides: only the
 * thread of contents-thread.ts does so.
 */
export class Contents {
  readonly #blobs: Pick<Blobs, 'open'>;
  readonly #headers: ByteBoundedCache<NamedHeader | Refusal>;
  readonly #indexes: ByteBoundedCache<SequenceIndex>;

  constructor(blobs: Pick<Blobs, 'open'>, bytesMax: number) {
    this.#blobs = blobs;
    this.#headers = new ByteBoundedCache(bytesMax / 2, (header) =>
      'refused' in header ? 1000 : 1000 + (header.inline?.length ?? 0) + header.references.length * nameBytes,
    );
    this.#indexes = new ByteBoundedCache(
      bytesMax / 2,
      ({ numbers, bins }) => 1000 + bins.byteLength + numbers.size * nameBytes,
    );
  }

  /** Reads a header. By kind: the bytes of a BAM may be asked for as reads, and as variants, which they are not. */
  async header({ blob, readAs }: Asked): Promise<NamedHeader> {
    const found = await this.#headers.get(`${readAs} ${blob.key}`, () =>
      this.#read({ blob, readAs }).catch((error: unknown) => {
        if (!(error instanceof InputError)) throw error;
        return { refused: `${error.message}${hints[readAs]}` };
      }),
    );
    if ('refused' in found) throw new RefusedFile(found.refused);
    return found;
  }

  /** Reads the index of a file. */
  async index({ index, ...of }: ChunkQuestion): Promise<SequenceIndex> {
    const header = await this.header(of);
    return this.#indexes.get(index.key, async () =>
      indexOf(await this.#bytesOf(index), header, of.readAs === 'VARIANTS'),
    );
  }

  #read({ blob, readAs }: Asked): Promise<NamedHeader> {
    if (readAs === 'CRAM') return cramHeader(this.#blobs, blob);
    return readHeader(new BgzfBlob(this.#blobs, blob), readAs === 'BAM' ? readBam : readVariantsHeader);
  }

  async #bytesOf({ key, size }: BlobInfo): Promise<Buffer> {
    return Buffer.concat(await (await this.#blobs.open(key, { start: 0, end: size })).toArray());
  }
}

function readBam(bytes: Uint8Array): HeaderReading {
  const header = readBamHeader(bytes);
  if ('bytesNeeded' in header) return header;
  return { format: 'BAM', size: header.size, references: header.references.map(({ name }) => name) };
}

/** Reads an index. Names of variants that are only in the header have no records and get numbers behind those of the index. */
function indexOf(bytes: Buffer, header: NamedHeader, isTabix: boolean): SequenceIndex {
  const numbered = (names: Iterable<string>): Map<string, number> =>
    new Map([...names].map((name, number) => [name, number]));
  if (isTabix) {
    const { names, bins } = readTabix(bytes);
    return { bins, numbers: numbered(new Set([...names, ...header.references])) };
  }
  const isCram = header.format === 'CRAM';
  const bins = isCram ? new CramIndex(bytes.toString('latin1'), header.contentEnd) : readBai(bytes);
  return { bins, numbers: numbered(header.references) };
}

/**
 * Cache of costly values up to a number of bytes. Concurrent requests for a key share one computation; a failure is not cached. Keys are
 * those of blobs, whose bytes never change, so no entry becomes stale.
 */
export class ByteBoundedCache<V extends NonNullable<unknown>> {
  readonly #entries: LRUCache<string, V, () => Promise<V>>;

  constructor(bytesMax: number, bytesOf: (value: V) => number) {
    this.#entries = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: bytesOf,
      fetchMethod: (_key, _stale, { context: make }) => make(),
      // An entry evicted while it is computed still serves its waiting requests.
      ignoreFetchAbort: true,
    });
  }

  /** Total size of the entries. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get(key: string, make: () => Promise<V>): Promise<V> {
    return this.#entries.forceFetch(key, { context: make });
  }
}
