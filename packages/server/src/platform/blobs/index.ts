export type { Arrival, BlobInfo, Blobs, ByteRange, DirectTransfers, PutOptions } from './blobs.ts';
export { diskBlobs } from './disk/disk-blobs.ts';
export { addIntents, expectArrival, keepAll, whileKept } from './intents.ts';
export { type BlobsSettings, openBlobs } from './open.ts';
export type { S3Access, S3Address } from './s3/address.ts';
export { signUrl, verifySignedUrl } from './signed-url.ts';
