import { ClientError } from './client-error.ts';

/** File of an archive. */
interface TarEntry {
  /** Path in the archive. */
  name: string;
  /** Size in bytes. */
  size: number;
  read: () => AsyncIterable<Uint8Array>;
}

const blockBytes = 512;
/** Longest name in a header; longer ones go into a header of their own (GNU). */
const nameBytesMax = 100;

const encoder = new TextEncoder();

/** Returns the bytes of a tar (POSIX `ustar`) of these files. Fails with `FILE_CHANGED` where a size is not that of the bytes. */
export async function* tarBytes(files: readonly TarEntry[]): AsyncGenerator<Uint8Array> {
  for (const { name, size, read } of files) {
    const title = encoder.encode(name);
    if (title.length > nameBytesMax) {
      yield header(encoder.encode('././@LongLink'), title.length, 'L');
      yield title;
      yield new Uint8Array(padding(title.length));
    }
    yield header(title, size, '0');
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

function header(name: Uint8Array, size: number, type: string): Uint8Array {
  const block = new Uint8Array(blockBytes);
  const write = (text: string, at: number): void => block.set(encoder.encode(text), at);
  block.set(name.subarray(0, nameBytesMax));
  write('0000600', 100);
  // A size of 8 GiB or more is binary (GNU).
  if (size < 8 ** 11) write(size.toString(8).padStart(11, '0'), 124);
  else {
    block[124] = 0x80;
    new DataView(block.buffer).setBigUint64(128, BigInt(size));
  }
  write(`        ${type}`, 148);
  write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  return block;
}
