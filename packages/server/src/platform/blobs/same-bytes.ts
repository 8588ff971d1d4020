import { Problem } from '../../problem.ts';
import type { BlobInfo } from './blobs.ts';

/** Throws when bytes are not those of a blob. */
export function sameBytes(blob: BlobInfo, found: { size: number; sha256: string }): void {
  if (found.size === blob.size && found.sha256 === blob.sha256) return;
  throw new Problem(500, 'DIGEST_MISMATCH', `The bytes given for the blob ${blob.key} are not its own.`);
}
