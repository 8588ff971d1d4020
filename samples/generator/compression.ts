import { Readable } from 'node:stream';
import { crc32, createGzip, deflateRawSync } from 'node:zlib';

/** Compression of a file: none, one gzip member, or BGZF blocks (SAM specification §4.1). */
export type Compression = 'none' | 'gzip' | 'bgzf';

/** Bytes of text in a BGZF block: as bgzip cuts it, so that even incompressible data stays under 64 KiB. */
const blockLength = 0xff00;

/** The empty block that ends every BGZF file (SAM specification §4.1.2). */
const endOfFile = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

const level = 6;

function bgzfBlock(text: Buffer): Buffer {
  const packed = deflateRawSync(text, { level });
  const block = Buffer.alloc(18 + packed.length + 8);
  endOfFile.copy(block, 0, 0, 16);
  block.writeUInt16LE(block.length - 1, 16);
  packed.copy(block, 18);
  block.writeUInt32LE(crc32(text), block.length - 8);
  block.writeUInt32LE(text.length, block.length - 4);
  return block;
}

/** Bytes as they come, from memory or not. */
type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

async function* bgzf(chunks: Chunks): AsyncGenerator<Buffer> {
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    let from = 0;
    for (; waiting.length - from >= blockLength; from += blockLength) {
      yield bgzfBlock(waiting.subarray(from, from + blockLength));
    }
    waiting = waiting.subarray(from);
  }
  if (waiting.length > 0) yield bgzfBlock(waiting);
  yield endOfFile;
}

/** Byte 9 of a gzip member names the operating system (RFC 1952 §2.3.1): 255, unknown, makes it the same everywhere. */
const systemByte = 9;

async function* gzip(chunks: Chunks): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of Readable.from(chunks).compose(createGzip({ level }))) {
    const bytes: Buffer = chunk;
    if (isFirst) bytes[systemByte] = 255;
    isFirst = false;
    yield bytes;
  }
}

/** Packs a stream of bytes: the same bytes for the same input, with no time and no name in them. */
export function pack(chunks: Chunks, compression: Compression): Chunks {
  if (compression === 'gzip') return gzip(chunks);
  return compression === 'bgzf' ? bgzf(chunks) : chunks;
}
