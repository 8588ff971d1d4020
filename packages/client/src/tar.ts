import { ClientError } from './client-error.ts';

/** File, folder or symbolic link of an archive. */
export interface TarEntry {
  /** Path in the archive; that of a folder ends with `/`. */
  name: string;
  /** Size in bytes. */
  size: number;
  read: () => AsyncIterable<Uint8Array>;
  /** Permissions, default 0600. */
  mode?: number;
  /** Number of the user and of the group, default 0. */
  owner?: number;
  /** Seconds since 1970, default 0. */
  modifiedAt?: number;
  /** Target of a symbolic link, at most 100 bytes. */
  link?: string;
}

const blockBytes = 512;
/** Longest name in a header; longer ones go into a header of their own (GNU). */
const nameBytesMax = 100;

const encoder = new TextEncoder();

/** Returns the bytes of a tar (POSIX `ustar`) of these files. Fails with `FILE_CHANGED` where a size is not that of the bytes. */
export async function* tarBytes(files: readonly TarEntry[]): AsyncGenerator<Uint8Array> {
  for (const entry of files) {
    const { name, size, read } = entry;
    const title = encoder.encode(name);
    if (title.length > nameBytesMax) {
      yield header(encoder.encode('././@LongLink'), { size: title.length }, 'L');
      yield title;
      yield new Uint8Array(padding(title.length));
    }
    yield header(title, entry, typeOf(entry));
    let count = 0;
    for await (const chunk of read()) {
      count += chunk.length;
      yield chunk;
    }
    if (count !== size)
      throw new ClientError(`${name} changed while it was packed.`, { status: 0, code: 'FILE_CHANGED' });
    yield new Uint8Array(padding(size));
  }
  yield new Uint8Array(2 * blockBytes);
}

const padding = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;

function typeOf({ name, link }: TarEntry): string {
  if (link !== undefined) return '2';
  return name.endsWith('/') ? '5' : '0';
}

function header(name: Uint8Array, about: Omit<TarEntry, 'name' | 'read'>, type: string): Uint8Array {
  const { size, mode = 0o600, owner = 0, modifiedAt = 0, link = '' } = about;
  const block = new Uint8Array(blockBytes);
  const write = (text: string, at: number): void => block.set(encoder.encode(text), at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  block.set(name.subarray(0, nameBytesMax));
  write(octal(mode, 7), 100);
  write(octal(owner, 7), 108);
  write(octal(owner, 7), 116);
  write(octal(modifiedAt, 11), 136);
  write(link, 157);
  // A size of 8 GiB or more is binary (GNU).
  if (size < 8 ** 11) write(octal(size, 11), 124);
  else {
    block[124] = 0x80;
    new DataView(block.buffer).setBigUint64(128, BigInt(size));
  }
  write(`        ${type}`, 148);
  write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  write(`${octal(sum, 6)}\u0000 `, 148);
  return block;
}
