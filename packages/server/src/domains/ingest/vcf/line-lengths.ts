import { open } from 'node:fs/promises';
import { Transform, type TransformCallback } from 'node:stream';

/*
 * The engine refuses a line longer than its buffer, but leaves out the last one of a text without a word (DuckDB 1.5): so lines
 * that may be too long are looked for here.
 */

/** A line is longer than the engine was told to expect: the text has to be taken line by line. */
export class LongLine extends Error {
  constructor() {
    super('A line is longer than those at the beginning of the file.');
  }
}

/** Passes a text on; fails with `LongLine` at a line of more bytes. */
export class LineLengths extends Transform {
  readonly #bytesMax: number;
  /** Of the line that is not ended yet. */
  #bytes = 0;

  /** `bytesMax` is more than any chunk has. */
  constructor(bytesMax: number) {
    super();
    this.#bytesMax = bytesMax;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const end = chunk.indexOf(newline);
    const longest = this.#bytes + (end < 0 ? chunk.length : end);
    this.#bytes = end < 0 ? longest : chunk.length - chunk.lastIndexOf(newline) - 1;
    if (longest > this.#bytesMax) done(new LongLine());
    else done(null, chunk);
  }
}

/** Fails with `LongLine` when the last line of a file has more bytes, line ends behind it left aside. */
export async function checkLastLine(path: string, bytesMax: number): Promise<void> {
  const file = await open(path);
  try {
    const block = Buffer.alloc(blockBytes);
    let hasBegun = false;
    let bytes = 0;
    for (let end = (await file.stat()).size; end > 0 && bytes <= bytesMax; end -= blockBytes) {
      const start = Math.max(0, end - blockBytes);
      const { bytesRead } = await file.read(block, 0, end - start, start);
      const text = block.subarray(0, bytesRead);
      const last = hasBegun ? bytesRead : text.findLastIndex((byte) => byte !== newline && byte !== 13) + 1;
      if (last === 0) continue;
      const lineStart = text.subarray(0, last).lastIndexOf(newline) + 1;
      bytes += last - lineStart;
      if (lineStart > 0) break;
      hasBegun = true;
    }
    if (bytes > bytesMax) throw new LongLine();
  } finally {
    await file.close();
  }
}

const newline = 10;
const blockBytes = 64 * 1024;
