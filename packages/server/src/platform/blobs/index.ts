export type { BlobInfo, Blobs, ByteRange, PutOptions } from './blobs.ts';
export type { DiskSettings } from './disk.ts';
export { diskBlobs } from './disk.ts';
export type { SignedUrlInput, SignedUrlVerdict } from './signed-url.ts';
export { signUrl, verifySignedUrl } from './signed-url.ts';
