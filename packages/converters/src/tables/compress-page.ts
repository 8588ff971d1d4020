import { constants, zstdCompressSync } from 'node:zlib';

const params = { [constants.ZSTD_c_compressionLevel]: 1 };
/** Minimum memory of zlib. */
const chunkBytesMin = 64;

/** Compresses pages of Parquet: the lowest level is nearly as small and much faster. */
export function compressPage(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params, chunkSize: Math.max(chunkBytesMin, bytes.length) });
}
