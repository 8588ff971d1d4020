import { InputError } from '@ploidy/formats';

/** File of an archive. Its bytes are read before the next file, or skipped. */
export interface Member {
  name: string;
  size: number;
  bytes: () => AsyncIterable<Buffer>;
}

const blockBytes = 512;
/** Bytes of a name in the extended headers of a member. */
const extendedBytesMax = 1 << 20;

/** Bytes of a stream, taken piece by piece. */
class ByteQueue {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Takes at most so many bytes; none at the end of the source. */
  async some(bytesMax: number): Promise<Buffer> {
    while (this.#held.length === 0) {
      const next = await this.#source.next();
      if (next.done) return this.#held;
      this.#held = next.value;
    }
    const taken = this.#held.subarray(0, bytesMax);
    this.#held = this.#held.subarray(taken.length);
    return taken;
  }

  /** Takes so many bytes, or fewer at the end of the source. */
  async exactly(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const piece = await this.some(left);
      if (piece.length === 0) break;
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

const truncated = (): InputError => new InputError('The archive ends too early: upload the complete file.');

/** Returns whether the first bytes of a file are a header of tar (POSIX `ustar`, GNU). */
export const isTar = (head: Uint8Array): boolean =>
  head.length >= blockBytes && Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar';

/** Reads the regular files of a tar in their order. Throws `InputError` for a broken one. */
export async function* tarMembers(source: AsyncIterable<Buffer>): AsyncGenerator<Member> {
  const queue = new ByteQueue(source);
  try {
    let longName: string | undefined;
    for (;;) {
      const header = await queue.exactly(blockBytes);
      if (header.length === 0 || header.every((byte) => byte === 0)) return;
      if (header.length < blockBytes) throw truncated();
      requireChecksum(header);
      const size = numberAt(header, 124, 12);
      const type = String.fromCharCode(header[156] ?? 0);
      const padding = (blockBytes - (size % blockBytes)) % blockBytes;
      // Extended headers: L of GNU is a name, x of POSIX a list of `length key=value`.
      if (type === 'L' || type === 'x') {
        if (size > extendedBytesMax) throw new InputError('A name in the archive is too long.');
        const text = (await queue.exactly(size)).toString('utf8');
        await queue.exactly(padding);
        longName = (type === 'L' ? untilZero(text) : pathIn(text)) ?? longName;
        continue;
      }
      let left = size;
      async function* bytes(): AsyncGenerator<Buffer> {
        while (left > 0) {
          const piece = await queue.some(left);
          if (piece.length === 0) throw truncated();
          left -= piece.length;
          yield piece;
        }
      }
      if (type === '0' || type === '\0') yield { name: longName ?? nameIn(header), size, bytes };
      longName = undefined;
      for await (const _ of bytes());
      await queue.exactly(padding);
    }
  } finally {
    await queue.close();
  }
}

function nameIn(header: Buffer): string {
  const [name, prefix] = [textAt(header, 0, 100), textAt(header, 345, 155)];
  return prefix === '' ? name : `${prefix}/${name}`;
}

const textAt = (header: Buffer, start: number, length: number): string =>
  untilZero(header.toString('utf8', start, start + length));

const untilZero = (text: string): string => text.split('\0', 1)[0] ?? '';

/** Returns the path in an extended header of POSIX: `length path=name` on a line. */
function pathIn(text: string): string | undefined {
  const mark = ' path=';
  const line = text.split('\n').find((one) => one.indexOf(mark) === one.indexOf(' ') && one.includes(mark));
  return line?.slice(line.indexOf(mark) + mark.length);
}

/** Reads an octal number, or one of 8 bytes whose first bit of the field is set (GNU). */
function numberAt(header: Buffer, start: number, length: number): number {
  if (((header[start] ?? 0) & 0x80) !== 0) return Number(header.readBigUInt64BE(start + length - 8));
  return Number.parseInt(textAt(header, start, length).trim() || '0', 8);
}

/** Requires the sum of all bytes of a header, its own field as blanks: other blocks have another. */
function requireChecksum(header: Buffer): void {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 32 : byte;
  if (sum !== numberAt(header, 148, 8))
    throw new InputError('The archive is damaged: a header is not one of tar.');
}
