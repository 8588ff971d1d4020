import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** Size and hash of a file of a backup. */
export interface FileInfo {
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Encodes rows as lines of JSON arrays, compressed with gzip. `count` returns how many were encoded. */
export function rowBytes(batches: AsyncIterable<readonly unknown[][]>): {
  bytes: Readable;
  count: () => number;
} {
  let rows = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const batch of batches) {
      rows += batch.length;
      yield batch.map((row) => `${JSON.stringify(row)}\n`).join('');
    }
  };
  const bytes = createGzip();
  // The reader of the bytes rejects with the same error; prevents an unhandled rejection.
  pipeline(Readable.from(lines()), bytes).catch(() => undefined);
  return { bytes, count: () => rows };
}

/** Reads rows in batches. Only line feeds separate lines: strings may hold other breaks. */
export async function* readRows(file: Readable): AsyncGenerator<unknown[][]> {
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
