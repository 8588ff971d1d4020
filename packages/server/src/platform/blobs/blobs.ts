import type { Readable } from 'node:stream';

/** A stored blob. Blobs are immutable: new bytes are a new blob under a new key. */
export interface BlobInfo {
  /** Opaque key, made by the store. */
  key: string;
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Half-open byte range `[start, end)`. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface PutOptions {
  /** Maximum of bytes; more end with Problem 413 `TOO_LARGE`. */
  sizeMax?: number;
  /** Exact number of bytes expected; otherwise Problem 400 `SIZE_MISMATCH`. */
  size?: number;
  /** Base64 MD5 that the bytes must have (RFC 1864); otherwise Problem 400 `DIGEST_MISMATCH`. */
  md5?: string;
  signal?: AbortSignal;
}

export interface LocalOptions {
  /** Ends the wait for copies. */
  signal?: AbortSignal;
  /** Drops the copies after the work: nothing needs them again. */
  once?: boolean;
  /** Choices by key, of blobs of which a part is enough: a remote store reads only that of large ones. */
  excerpts?: ReadonlyMap<string, ChooseExcerpt>;
}

/** Part of a blob: bytes in their places, and another end in the place of its own. */
export interface Excerpt {
  ranges: readonly ByteRange[];
  footer: { start: number; bytes: Uint8Array };
}

/**
 * Chooses a part by the size of a blob and its last bytes. Returns the number of last bytes where these are too few. Undefined: the
 * whole is needed.
 */
export type ChooseExcerpt = (size: number, tail: Buffer) => Excerpt | number | undefined;

/** An object that a client has put under an address of the store's own. */
export interface Arrival {
  /** Conditions as given to `uploadUrl`. */
  place: string;
  size: number;
  /** Version of the bytes: other bytes, or the same ones put later, have another. */
  tag: string;
  /** Epoch milliseconds by the store's clock. */
  at: number;
}

/**
 * Transfers between clients and a store that they reach themselves, past the service. A place is `folder/…/name`, of letters,
 * digits and hyphens.
 */
export interface DirectTransfers {
  /** Signs an address to PUT bytes to. `md5` (base64) and `size` are part of the signature: the client has to send these. */
  uploadUrl(place: string, terms: { expiresAt: number; md5?: string; size?: number }): Promise<string>;
  /** Signs an address to GET a blob from, which arrives under these headers. */
  downloadUrl(
    key: string,
    terms: { expiresAt: number; contentType: string; disposition: string },
  ): Promise<string>;
  /** Finds the object at a place. */
  arrival(place: string, signal?: AbortSignal): Promise<Arrival | undefined>;
  /** Lists the objects at places that begin so. */
  arrivals(folder: string): AsyncIterable<Arrival>;
  /**
   * Copies an arrival into a new blob; it also stays where it is, since its address may be used again. Rejects with the Problems
   * of `put`, and with Problem 409 `OVERTAKEN` when other bytes have arrived meanwhile.
   */
  take(arrival: Arrival, options: PutOptions): Promise<BlobInfo>;
  /** Joins several arrivals into one new blob, with the errors of `take`. */
  join(arrivals: readonly Arrival[], options: Omit<PutOptions, 'signal'>): Promise<BlobInfo>;
  /** Removes the objects at these places. */
  discard(places: readonly string[]): Promise<void>;
}

export interface OpenOptions {
  /**
   * Reuses the memory of chunks: the reader passes each on as it arrives, with back pressure (`pipe` into a response, through one
   * stream at most), and keeps none.
   */
  passedOn?: boolean;
}

/**
 * Store of bytes. A blob exists for the service only if a row names it. `put`, `adopt` and `join` record an intent, make the blob
 * durable (synced file, synced folder) and resolve; a blob that no row names within a day is swept.
 */
export interface Blobs {
  /**
   * Streams, hashes and syncs new bytes. Memory stays flat. An aborted or failed source leaves nothing. A source whose bytes
   * are refused is left open, so that its sender can be answered: draining or destroying it is up to the caller.
   */
  put(source: Readable, options?: PutOptions): Promise<BlobInfo>;
  /** A path in a scratch folder on the same file system, for a process that writes files itself (the engine). */
  scratchPath(extension: string): Promise<string>;
  /**
   * Lends an empty scratch folder to `work`, for a process that writes several files. However `work` ends, the folder goes with
   * all that was not adopted.
   */
  inScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /** Removes a scratch file, if it is there. */
  discardScratch(path: string): Promise<void>;
  /** Makes a blob of a finished scratch file: synced, renamed. `info` is as its writer measured it. */
  adopt(scratchPath: string, info: { size: number; sha256: string }): Promise<BlobInfo>;
  /**
   * Joins blobs into a new one (none: an empty one), with the guarantees of `put`: limits checked, hashed anew, durable, and a
   * failure leaves nothing. The joined blobs stay. Memory stays flat and the event loop free, however large they are. Rejects with
   * Problem 404 when one of them is missing.
   */
  join(keys: readonly string[], options?: Omit<PutOptions, 'signal'>): Promise<BlobInfo>;
  /** Looks up the size of a blob in bytes; undefined when it is missing. */
  sizeOf(key: string): Promise<number | undefined>;
  /**
   * Stores a few bytes for other systems with access to the store, for a day, and returns their address. Its
   * name is new, and ends with the extension.
   */
  share(bytes: Uint8Array, extension: string): Promise<string>;
  /** Address under which other systems with access to the store find a blob: `file:` or `s3:`. */
  addressOf(key: string): string;
  /** Reads a blob, or a range of it. Rejects with Problem 404 when the blob is missing. */
  open(key: string, range?: ByteRange, options?: OpenOptions): Promise<Readable>;
  /**
   * Runs `work` with a path for each blob from which local processes can read it. A remote store makes copies on demand, checks
   * them and keeps them at least until `work` has ended. `work` must not ask for more: it names all its blobs at once.
   */
  withLocal<T>(blobs: BlobInfo[], work: (paths: string[]) => Promise<T>, options?: LocalOptions): Promise<T>;
  /** Removes the bytes of blobs that no row names, and nothing else. While a backup reads, the sweep removes them afterwards. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes blobs that no row named in time, or names any more. Removes their local copies, and scratch files of a day ago. */
  sweep(signal?: AbortSignal): Promise<void>;
  /** The part of `sweep` that concerns this process: local copies and scratch files. */
  sweepLocal(): Promise<void>;
  /** Leaves what an earlier process began to the next sweep: to be called by the only process, before its first write. */
  recover(): Promise<void>;
  /** Stores the bytes of a blob under the key that it had, for a restore. Rejects when they are not the bytes of `blob`. */
  putBack(blob: BlobInfo, source: Readable): Promise<void>;
  /** Writes and reads a few bytes, for /readyz. */
  check(): Promise<void>;
  /** Releases connections and locks. */
  close(): Promise<void>;
  /** Absent when clients reach the bytes through the service only. */
  readonly direct?: DirectTransfers;
}
