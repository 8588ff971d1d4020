import { createReadStream } from 'node:fs';
import { received } from '../platform/blobs/receive.ts';
import type { FileInfo } from './row-file.ts';

/** Size and hash of a file, read to its end. */
export function hashFile(path: string): Promise<FileInfo> {
  return received(createReadStream(path, { highWaterMark: 1024 * 1024 }));
}
