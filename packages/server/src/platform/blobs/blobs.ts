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
  /** An empty scratch folder, for a process that writes several files. */
  scratchFolder(): Promise<string>;
  /** Removes a scratch file or folder, if it is there. */
  discardScratch(path: string): Promise<void>;
  /** Takes over a finished scratch file: synced, renamed. The writer hashed it (`info` as it measured). */
  adopt(scratchPath: string, info: { size: number; sha256: string }): Promise<BlobInfo>;
  /**
   * Makes a new blob of the bytes of these, one after the other (none: an empty one), and promises of it what `put` does:
   * limits checked, hashed anew, durable, and nothing is left of a failure. The blobs that it is made of stay. Memory stays flat
   * and the event loop free, however large they are. Rejects with Problem 404 when one of them is not there.
   */
  join(keys: readonly string[], options?: Omit<PutOptions, 'signal'>): Promise<BlobInfo>;
  /** Reads a blob, or a range of it. Rejects with Problem 404 when the blob is not there. */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** A path from which local processes can read the blob (a cached copy when the store is remote). */
  localPath(key: string): Promise<string>;
  /** Removes a blob; one that is gone already is no error. */
  remove(key: string): Promise<void>;
  /** Removes blobs and scratch files older than `ageMs` for which `isHeld` (asked in batches) does not vouch. */
  sweep(ageMs: number, held: (keys: string[]) => Promise<Set<string>>): Promise<{ removed: number }>;
  /** Writes and reads a few bytes, for /readyz. */
  check(): Promise<void>;
}
