import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Compression, pack } from './compression.ts';

/** Bytes of text that are gathered before they go on: a call for every line would be slow. */
const chunkLength = 1 << 16;

async function* chunksOf(lines: Iterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** Writes lines to a file, like `writeFile`. */
export function writeTextFile(
  path: string,
  lines: Iterable<string>,
  compression: Compression,
): Promise<WrittenFile> {
  return writeFile(path, chunksOf(lines), compression);
}

/** Size and hash of the bytes on the disk. */
export interface WrittenFile {
  bytes: number;
  sha256: string;
}

/** Writes a file as fast as the disk, and no faster: memory stays flat however long the file becomes. */
export async function writeFile(
  path: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  compression: Compression,
): Promise<WrittenFile> {
  await mkdir(dirname(path), { recursive: true });
  const hash = createHash('sha256');
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of pack(chunks, compression)) {
      bytes += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  }
  await pipeline(counted(), createWriteStream(path));
  return { bytes, sha256: hash.digest('hex') };
}
