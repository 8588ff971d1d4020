import { join } from 'node:path';
import type { Blobs } from './blobs.ts';
import { diskBlobs } from './disk.ts';
import type { S3Address } from './s3/address.ts';

export interface BlobsSettings {
  dataFolder: string;
  /** An S3-compatible store; `undefined`: a folder of the disk. */
  store: S3Address | undefined;
  accessKeyId: string;
  secretAccessKey: string;
  /** Bytes of local copies of what lies in the store. */
  cacheMaxBytes: number;
}

/** Opens the store that is configured. What the other needs is not loaded. */
export async function openBlobs(settings: BlobsSettings): Promise<Blobs> {
  const { dataFolder, store: address, accessKeyId, secretAccessKey, cacheMaxBytes } = settings;
  const folder = join(dataFolder, 'blobs');
  if (!address) return diskBlobs({ folder });
  const { s3Blobs } = await import('./s3/s3-blobs.ts');
  return s3Blobs({
    address,
    credentials: { accessKeyId, secretAccessKey },
    scratchFolder: join(folder, 'scratch'),
    cacheFolder: join(dataFolder, 'cache'),
    cacheMaxBytes,
  });
}
