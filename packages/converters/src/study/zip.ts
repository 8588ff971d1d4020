import { type FileHandle, open } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { InputError } from '@ploidy/formats';
import { gzipError } from '../decompressed-source.ts';
import type { Member } from './tar.ts';

const endBytes = 22;
/** Longest comment behind the directory. */
const commentBytesMax = 0xffff;
const directoryBytesMax = 64 << 20;
const readBytes = 256 << 10;
const [stored, deflated] = [0, 8];
/** Mark of values that are in the fields of ZIP64. */
const beyond = 0xffffffff;

const damaged = (): InputError => new InputError('The archive is damaged, or no ZIP file: pack it again.');

/** Returns whether the first bytes are those of a ZIP. */
export const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;

/** Reads the files of a ZIP by its directory. Throws `InputError` for a broken or encrypted one, and for one above 4 GiB (ZIP64). */
export async function* zipMembers(path: string, onRead: (bytes: number) => void): AsyncGenerator<Member> {
  const file = await open(path);
  try {
    const directory = await directoryOf(file);
    for (let at = 0; at + 46 <= directory.length; ) {
      if (directory.readUInt32LE(at) !== 0x02014b50) throw damaged();
      const [flags, method] = [directory.readUInt16LE(at + 8), directory.readUInt16LE(at + 10)];
      const [packed, size] = [directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 24)];
      const [nameLength, extra, comment] = [28, 30, 32].map((place) => directory.readUInt16LE(at + place));
      const place = directory.readUInt32LE(at + 42);
      const nameEnd = at + 46 + (nameLength ?? 0);
      const name = directory.toString('utf8', at + 46, nameEnd);
      at = nameEnd + (extra ?? 0) + (comment ?? 0);
      if (name.endsWith('/')) continue;
      if ((flags & 1) !== 0) throw new InputError('The archive is encrypted: pack it without a password.');
      if ([packed, size, place].includes(beyond))
        throw new InputError('The archive is larger than 4 GiB: pack it as .tar.gz.');
      if (method !== stored && method !== deflated)
        throw new InputError('The archive uses a compression other than deflate: pack it as .tar.gz.');
      yield { name, size, bytes: () => contentOf(file, { place, packed, method, size }) };
      onRead(place + packed);
    }
  } finally {
    await file.close();
  }
}

async function directoryOf(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const start = Math.max(0, size - endBytes - commentBytesMax);
  const tail = await readAt(file, start, size - start);
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + endBytes > tail.length) throw damaged();
  const [length, place] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (length === beyond || place === beyond)
    throw new InputError('The archive is larger than 4 GiB: pack it as .tar.gz.');
  if (length > directoryBytesMax || place + length > size) throw damaged();
  return readAt(file, place, length);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw damaged();
  return buffer;
}

interface Placed {
  place: number;
  packed: number;
  method: number;
  size: number;
}

async function* contentOf(file: FileHandle, { place, packed, method, size }: Placed): AsyncGenerator<Buffer> {
  const header = await readAt(file, place, 30);
  if (header.readUInt32LE(0) !== 0x04034b50) throw damaged();
  const start = place + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < packed; at += readBytes)
      yield await readAt(file, start + at, Math.min(readBytes, packed - at));
  }
  const unpacked = method === deflated ? createInflateRaw() : new PassThrough();
  const source = Readable.from(pieces());
  source.once('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  let count = 0;
  try {
    for await (const piece of unpacked) {
      count += piece.length;
      if (count > size) throw damaged();
      yield piece;
    }
  } catch (error) {
    throw gzipError(error) ? damaged() : error;
  } finally {
    source.destroy();
    unpacked.destroy();
  }
  if (count !== size) throw damaged();
}
