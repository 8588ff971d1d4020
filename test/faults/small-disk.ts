import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own, in memory, that a test can fill. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Mounts a small disk, with room for this many files and folders, if given. Undefined where this process may not mount. */
  static mount(mebibytes: number, inodes?: number): SmallDisk | undefined {
    if (process.platform !== 'linux') return undefined;
    const folder = mkdtempSync(join(tmpdir(), 'ploidy-disk-'));
    const options = `size=${mebibytes}m,mode=0700${inodes ? `,nr_inodes=${inodes}` : ''}`;
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'ploidy-test', folder]);
    if (status === 0) return new SmallDisk(folder);
    rmSync(folder, { recursive: true });
    return undefined;
  }

  /** Fills it but for so many bytes. */
  fill(leftBytes: number): void {
    const { bavail, bsize } = statfsSync(this.folder);
    const bytes = bavail * bsize - leftBytes;
    try {
      if (bytes > 0) writeFileSync(this.#ballast, Buffer.alloc(bytes), { flag: 'a' });
    } catch (error) {
      // Others write, too: full is full.
      if (!(error instanceof Error && Reflect.get(error, 'code') === 'ENOSPC')) throw error;
    }
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    spawnSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #ballast(): string {
    return join(this.folder, 'ballast');
  }
}
