import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** Size and hash of a file of a backup. */
export interface FileInfo {
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Passes bytes through and computes their size and hash. */
export function measure(): { through: Transform; info: () => FileInfo } {
  const hash = createHash('sha256');
  let size = 0;
  const through = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  return { through, info: () => ({ size, sha256: hash.digest('hex') }) };
}

/** Flags of a new file, only for its owner, synced when it is closed. */
export const newFile = { flags: 'wx', mode: 0o600, flush: true } as const;

/** Writes rows as lines of JSON arrays, compressed with gzip. */
export async function writeRows(
  path: string,
  batches: AsyncIterable<readonly unknown[][]>,
): Promise<FileInfo & { rows: number }> {
  let rows = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const batch of batches) {
      rows += batch.length;
      yield batch.map((row) => `${JSON.stringify(row)}\n`).join('');
    }
  };
  const { through, info } = measure();
  await pipeline(Readable.from(lines()), createGzip(), through, createWriteStream(path, newFile));
  return { rows, ...info() };
}

/** Reads rows in batches. Only line feeds separate lines: strings may hold other breaks. */
export async function* readRows(path: string): AsyncGenerator<unknown[][]> {
  const file = createReadStream(path);
  const source = createGunzip().setEncoding('utf8');
  const piped = pipeline(file, source);
  // The loop below rejects with the same error; prevents an unhandled rejection meanwhile.
  piped.catch(() => undefined);
  let rest = '';
  try {
    for await (const text of source) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as unknown[]);
    }
    await piped;
  } finally {
    file.destroy();
    source.destroy();
  }
}
