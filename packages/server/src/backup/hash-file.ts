import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileInfo } from './row-file.ts';

/** Size and hash of a file, read to its end. */
export async function hashFile(path: string): Promise<FileInfo> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
}
