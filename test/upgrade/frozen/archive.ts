/** Folders in one file: a line of JSON with `[path, bytes]` of each file, then all bytes, compressed with Brotli. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** Files by their path. */
export type Files = Map<string, Buffer>;

/** Reads all files below a folder that `wanted` accepts, by their path in it. */
export function filesOf(folder: string, wanted: (path: string) => boolean = () => true): Files {
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (entry.isFile() && wanted(name)) files.set(name, readFileSync(path));
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function pack(files: Files): Buffer {
  const list = [...files].map(([path, bytes]) => [path, bytes.length]);
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...files.values()]);
  // A backup repeats the bytes of the data folder: the window spans both (RFC 7932, section 9.1: at most 16 MiB).
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 11 };
  return brotliCompressSync(whole, { params });
}

export function unpack(archive: Buffer): Files {
  const whole = brotliDecompressSync(archive);
  const end = whole.indexOf('\n');
  const list = JSON.parse(whole.subarray(0, end).toString()) as [path: string, bytes: number][];
  let start = end + 1;
  return new Map(
    list.map(([path, bytes]) => {
      start += bytes;
      return [path, whole.subarray(start - bytes, start)];
    }),
  );
}

/** Writes the files below a prefix into a folder, with the modes of a data folder. */
export function place(files: Files, prefix: string, folder: string): void {
  for (const [path, bytes] of files) {
    if (!path.startsWith(prefix)) continue;
    const target = join(folder, path.slice(prefix.length));
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, bytes, { mode: 0o600 });
  }
}
