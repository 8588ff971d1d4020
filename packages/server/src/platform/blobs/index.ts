export type { Arrival, BlobInfo, Blobs, ByteRange, DirectTransfers, Hold, PutOptions } from './blobs.ts';
export type { DiskSettings } from './disk.ts';
export { diskBlobs } from './disk.ts';
export { type BlobsSettings, openBlobs } from './open.ts';
export type { S3Address } from './s3/address.ts';
export type { SignedUrlInput, SignedUrlVerdict } from './signed-url.ts';
export { signUrl, verifySignedUrl } from './signed-url.ts';
