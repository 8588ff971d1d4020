import { join } from 'node:path';
import type { Records } from '../records/records.ts';
import type { Blobs } from './blobs.ts';
import { diskBlobs } from './disk/disk-blobs.ts';
import type { S3Access, S3Address } from './s3/address.ts';

export interface BlobsSettings {
  dataFolder: string;
  /** An S3-compatible store; `undefined`: a folder of the disk. */
  store: S3Address | undefined;
  access: S3Access;
  /** Bytes of local copies of remote blobs. */
  cacheMaxBytes: number;
  /** Remote blobs above this size are not copied whole where a part is enough; absent: none. */
  wholeMaxBytes?: number;
  /** Bytes of the disk that new blobs leave free; absent: a share of it. */
  reserveBytes?: number | undefined;
}

/**
 * Opens the store that is configured; code of the other one is not loaded. Without records it is read and restored only: blobs are
 * made and removed by intents in the records.
 */
export async function openBlobs(settings: BlobsSettings, records?: Records): Promise<Blobs> {
  const { dataFolder, store: address, access, cacheMaxBytes } = settings;
  const folder = join(dataFolder, 'blobs');
  if (!address) return diskBlobs({ folder, reserveBytes: settings.reserveBytes, records });
  const { s3Blobs } = await import('./s3/s3-blobs.ts');
  return s3Blobs({
    address,
    access,
    scratchFolder: join(folder, 'scratch'),
    cacheFolder: join(dataFolder, 'cache'),
    cacheMaxBytes,
    wholeMaxBytes: settings.wholeMaxBytes ?? Infinity,
    records,
  });
}
