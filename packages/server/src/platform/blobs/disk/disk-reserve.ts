import { statfs } from 'node:fs/promises';

const gibibyte = 1024 ** 3;
/** Share of a disk that is kept free, where no number of bytes is set. */
const reservePart = 0.05;

/**
 * Disk space that new blobs leave free, so that records are still written: a deletion that frees space is one of them. `bytes`: undefined
 * for a twentieth of the disk, at most 1 GiB.
 */
export class DiskReserve {
  readonly #folder: string;
  readonly #bytes: number | undefined;

  constructor(folder: string, bytes: number | undefined) {
    this.#folder = folder;
    this.#bytes = bytes;
  }

  /** Rejects with an `ENOSPC` error when less is free. */
  async require(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#folder);
    const reserved = this.#bytes ?? Math.min(gibibyte, blocks * bsize * reservePart);
    if (bavail * bsize >= reserved) return;
    throw Object.assign(new Error('Only the reserve of the disk is free.'), { code: 'ENOSPC' });
  }
}
