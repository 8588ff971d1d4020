import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundSync } from './background-sync.ts';
import { hasCode } from './error-code.ts';

const chunkBytes = 1 << 20;
/** Bytes after which the disk is asked to begin with them. */
const syncEveryBytes = 16 << 20;
/** Interval of checks whether a file has grown. */
const lookMs = 10;

/** Bytes and SHA-256 (hex) of a file. */
export interface FileDigest {
  size: number;
  sha256: string;
}

/** Makes the bytes of a file durable (fsync). */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Digests a finished file and syncs it to the disk. */
export async function digestFile(path: string): Promise<FileDigest> {
  return (await digestGrowing(path, Promise.resolve())).digest;
}

/**
 * Digests a file while `writing` writes it from start to end: reading it as it grows leaves little work at the end. Rejects as
 * `writing` does.
 */
export async function digestGrowing<Outcome>(
  path: string,
  writing: Promise<Outcome>,
): Promise<{ outcome: Outcome; digest: FileDigest }> {
  let isWritten = false;
  const written = writing.then(
    () => {
      isWritten = true;
    },
    () => {
      isWritten = true;
    },
  );
  const look = (): Promise<unknown> => Promise.race([written, delay(lookMs)]);
  const file = await openWhenThere(path, () => isWritten, look).catch(async (error) => {
    await writing;
    throw error;
  });
  try {
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const sync = new BackgroundSync(() => file.datasync(), syncEveryBytes);
    let size = 0;
    for (;;) {
      const isWhole = isWritten;
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, size);
      if (bytesRead > 0) {
        hash.update(chunk.subarray(0, bytesRead));
        size += bytesRead;
        sync.add(bytesRead);
      } else if (isWhole) break;
      else await look();
    }
    const outcome = await writing;
    await sync.ended();
    await file.sync();
    return { outcome, digest: { size, sha256: hash.digest('hex') } };
  } finally {
    await file.close();
  }
}

async function openWhenThere(
  path: string,
  isWritten: () => boolean,
  look: () => Promise<unknown>,
): Promise<FileHandle> {
  for (;;) {
    const isLast = isWritten();
    try {
      return await open(path, 'r+');
    } catch (error) {
      if (isLast || !hasCode(error, 'ENOENT')) throw error;
    }
    await look();
  }
}
