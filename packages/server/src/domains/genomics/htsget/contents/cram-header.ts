import { gunzipSync } from 'node:zlib';
import { virtualOffset } from '@ploidy/formats/bgzf';
import { endOfCram, readCramHeader } from '@ploidy/formats/cram';
import { InputError } from '@ploidy/formats/input-error';
import type { BlobInfo, Blobs, ByteRange } from '../../../../platform/blobs/blobs.ts';
import { inlineBytesMax, type NamedHeader } from './header.ts';

/** Bytes that hold the header of most files. */
const headBytes = 256 * 1024;

/** Reads the header of a CRAM: everything before the first container of records. */
export async function cramHeader(blobs: Pick<Blobs, 'open'>, { key, size }: BlobInfo): Promise<NamedHeader> {
  const bytesOf = async (range: ByteRange): Promise<Buffer> =>
    Buffer.concat(await (await blobs.open(key, range)).toArray());
  for (let needed = headBytes; ; ) {
    const bytes = await bytesOf({ start: 0, end: Math.min(size, needed) });
    const header = readCramHeader(bytes, inflate);
    if ('size' in header) {
      const isSmall = header.size <= inlineBytesMax;
      const end = size - endOfCram.length;
      const isMarked = (await bytesOf({ start: end, end: size })).equals(endOfCram);
      return {
        format: 'CRAM',
        inline: isSmall ? bytes.toString('base64', 0, header.size) : undefined,
        end: virtualOffset(header.size, 0),
        contentEnd: virtualOffset(isMarked ? end : size, 0),
        references: header.references.map(({ name }) => name),
      };
    }
    if (bytes.length === size) throw new InputError('The file ends within its header.');
    needed = Math.max(header.bytesNeeded, needed * 2);
  }
}

function inflate(data: Uint8Array, size: number): Uint8Array {
  return gunzipSync(data, { maxOutputLength: Math.max(1, size) });
}
