export type { Arrival, BlobInfo, Blobs, ByteRange, DirectTransfers, PutOptions } from './blobs.ts';
export { diskBlobs } from './disk/disk-blobs.ts';
export { type OpenBucket, withPlaced } from './in-place.ts';
export { addIntents, expectArrival, keepAll, orphanedKeys, whileKept } from './intents.ts';
export { type BlobsSettings, openBlobs } from './open.ts';
export { type Agents, parseAddress, type S3Access, type S3Address } from './s3/address.ts';
export { readObject } from './s3/read.ts';
export { signUrl, verifySignedUrl } from './signed-url.ts';
