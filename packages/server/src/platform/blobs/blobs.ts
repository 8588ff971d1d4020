import type { Readable } from 'node:stream';

/** What is known of a stored blob. Blobs are immutable: new bytes are a new blob under a new key. */
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
  /** Most bytes to take; more ends with Problem 413 `TOO_LARGE`. */
  sizeMax?: number;
  /** Exact number of bytes expected; otherwise Problem 400 `SIZE_MISMATCH`. */
  size?: number;
  /** Base64 MD5 the bytes must have (RFC 1864); otherwise Problem 400 `DIGEST_MISMATCH`. */
  md5?: string;
  signal?: AbortSignal;
}

export interface LocalOptions {
  /** Ends the wait for copies. */
  signal?: AbortSignal;
  /** They will not be needed again: a copy need not outlast the work. */
  once?: boolean;
}

/** An object that a client has put under an address of the store's own. */
export interface Arrival {
  /** As given to `uploadUrl`. */
  place: string;
  size: number;
  /** Of these bytes: other bytes, or the same ones put later, have another. */
  tag: string;
  /** Epoch milliseconds by the store's clock. */
  at: number;
}

/**
 * What a store can do whose clients reach it themselves: bytes then go past the service. A place is `folder/…/name`, of letters,
 * digits and hyphens.
 */
export interface DirectTransfers {
  /** Address to PUT bytes to. `md5` (base64) and `size` are part of the signature: the client has to send exactly these. */
  uploadUrl(place: string, terms: { expiresAt: number; md5?: string; size?: number }): string;
  /** Address to GET a blob from, which arrives under these headers. */
  downloadUrl(key: string, terms: { expiresAt: number; contentType: string; disposition: string }): string;
  /** What lies at a place. */
  arrival(place: string, signal?: AbortSignal): Promise<Arrival | undefined>;
  /** What lies at places that begin so. */
  arrivals(folder: string): AsyncIterable<Arrival>;
  /**
   * Makes a blob of what arrived; it stays where it is, too, since its address may be used again. Rejects with the Problems of
   * `put`, and with Problem 409 `OVERTAKEN` when other bytes have arrived meanwhile.
   */
  take(arrival: Arrival, options: PutOptions): Promise<BlobInfo>;
  /** The same for several arrivals that become one blob, one after the other. */
  join(arrivals: readonly Arrival[], options: Omit<PutOptions, 'signal'>): Promise<BlobInfo>;
  /** Removes what lies at these places. While there is a hold it stays, for the sweep. */
  discard(places: readonly string[]): Promise<void>;
}

/** Keeps blobs from being removed, see `Blobs.hold`. */
export interface Hold {
  /** Whether it may have counted for nothing for a while: it could not be renewed in time. */
  lapsed(): boolean;
  release(): Promise<void>;
}

export interface OpenOptions {
  /**
   * The reader hands each chunk on as it comes, with back pressure (`pipe` into a response, through one stream at most), and keeps none:
   * their memory may be used again.
   */
  passedOn?: boolean;
}

/**
 * The store of bytes. A blob exists for the service only when a row refers to it: `put` and `adopt` make it durable
 * (synced file, synced folder) before they answer, and what no row ever takes is swept later.
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
  /** Takes over a finished scratch file: synced, renamed. The writer hashed it (`info` as it measured). */
  adopt(scratchPath: string, info: { size: number; sha256: string }): Promise<BlobInfo>;
  /**
   * Makes a new blob of the bytes of these, one after the other (none: an empty one), and promises of it what `put` does:
   * limits checked, hashed anew, durable, and nothing is left of a failure. The blobs that it is made of stay. Memory stays flat
   * and the event loop free, however large they are. Rejects with Problem 404 when one of them is not there.
   */
  join(keys: readonly string[], options?: Omit<PutOptions, 'signal'>): Promise<BlobInfo>;
  /** Bytes of a blob, which are not read; undefined when it is not there. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Reads a blob, or a range of it. Rejects with Problem 404 when the blob is not there. */
  open(key: string, range?: ByteRange, options?: OpenOptions): Promise<Readable>;
  /**
   * Runs `work` with a path for each blob from which local processes can read it. When the store is remote these are copies, made
   * on demand, checked, and sure to stay only until `work` has ended. `work` must not ask for more: what it needs it takes at once.
   */
  withLocal<T>(blobs: BlobInfo[], work: (paths: string[]) => Promise<T>, options?: LocalOptions): Promise<T>;
  /** Removes a blob; one that is gone already is no error. While there is a hold it stays, for the sweep. */
  remove(key: string): Promise<void>;
  /** Removes blobs and scratch files older than `ageMs` for which `held` (asked in batches) does not vouch, and holds of processes that are gone. */
  sweep(ageMs: number, held: (keys: string[]) => Promise<Set<string>>): Promise<{ removed: number }>;
  /**
   * From now on until it is released no process removes a blob: what records say that are looked at after this keeps its bytes.
   * It ends by itself minutes after its process.
   */
  hold(): Promise<Hold>;
  /** The same for so many milliseconds by the store's clock, whatever becomes of this process. */
  holdFor(ms: number): Promise<void>;
  /** Stores the bytes of a blob again under the key that it had. Throws when they are not the ones that `blob` says. */
  putBack(blob: BlobInfo, source: Readable): Promise<void>;
  /** Whose store it is, as `mark` was told last; undefined when nobody has. */
  owner(): Promise<string | undefined>;
  /** Says durably whose store it is. */
  mark(owner: string): Promise<void>;
  /** Whether there is no blob. */
  isEmpty(): Promise<boolean>;
  /** Writes and reads a few bytes, for /readyz. */
  check(): Promise<void>;
  /** Lets go of connections and locks. */
  close(): Promise<void>;
  /** Absent: clients reach the bytes through the service only. */
  readonly direct?: DirectTransfers;
}
