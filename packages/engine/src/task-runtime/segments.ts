import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';

const compress = promisify(zstdCompress);

/** Bytes of lines in a segment; Trino's own have 8 to 16 MiB. */
const segmentBytes = 8 * 1024 * 1024;
const lineEnd = 0x0a;
const comma = 0x2c;
const opening = Buffer.from('[');
const closing = Buffer.from(']');

/** Part of a packed result: a zstd frame of a JSON array of rows. */
export interface Segment {
  /** Place and length of the frame in the file, in bytes. */
  offset: number;
  size: number;
  rowCount: number;
  /** Bytes of the array. */
  textSize: number;
}

/**
 * Packs a file of lines, a JSON array each, into zstd frames one after the other. Each frame is a JSON array of whole lines, as the
 * encoding `json+zstd` of the Trino client protocol has it.
 */
export async function packLines(from: string, to: string): Promise<Segment[]> {
  const [lines, packed] = [await open(from, 'r'), await open(to, 'w')];
  try {
    const segments: Segment[] = [];
    let offset = 0;
    for await (const bytes of wholeLines(lines)) {
      const rowCount = joinLines(bytes);
      const text = Buffer.concat([opening, bytes.subarray(0, -1), closing]);
      const frame = await compress(text, {
        pledgedSrcSize: text.length,
        params: { [constants.ZSTD_c_compressionLevel]: 1 },
      });
      await packed.write(frame);
      segments.push({ offset, size: frame.length, rowCount, textSize: text.length });
      offset += frame.length;
    }
    return segments;
  } finally {
    await lines.close();
    await packed.close();
  }
}

/** Reads a file in parts that end with a line. A line longer than a part is a part of its own. */
async function* wholeLines(file: FileHandle): AsyncGenerator<Buffer> {
  let start = 0;
  for (let length = segmentBytes; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
    if (bytesRead === 0) return;
    const end = buffer.lastIndexOf(lineEnd, bytesRead - 1) + 1;
    if (end === 0) {
      length *= 2;
      continue;
    }
    yield buffer.subarray(0, end);
    start += end;
    length = segmentBytes;
  }
}

/** Puts commas between lines; JSON escapes the line ends within texts. Returns the number of lines. */
function joinLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) {
    bytes[at] = comma;
    count++;
  }
  return count;
}
