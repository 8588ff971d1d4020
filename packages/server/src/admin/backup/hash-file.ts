import { createReadStream } from 'node:fs';
import { received } from '../../platform/blobs/receive.ts';
import type { FileInfo } from './row-file.ts';

/** Computes size and hash of a file. */
export function hashFile(path: string): Promise<FileInfo> {
  return received(createReadStream(path, { highWaterMark: 1024 * 1024 }));
}
