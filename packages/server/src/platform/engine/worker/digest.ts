import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** Bytes and SHA-256 (hex) of a finished file, which is on the disk for good afterwards. */
export async function sealFile(path: string): Promise<{ size: number; sha256: string }> {
  const file = await open(path, 'r+');
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 })) {
      hash.update(chunk);
      size += chunk.length;
    }
    await file.sync();
    return { size, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
