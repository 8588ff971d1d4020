/** Folders and texts as entries of archives: the same content makes the same bytes, whatever the machine's umask and clock. */
import { createReadStream, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TarEntry } from '@ploidy/client';

/** Place and time of the entries of a folder. */
interface Placed {
  /** Path of the folder in the archive, with `/` at its end; that of the root is empty. */
  prefix: string;
  /** Seconds since 1970. */
  modifiedAt: number;
  /** Reports paths of the folder, such as `bin/node`, that are not for the archive. */
  isLeftOut?: (path: string) => boolean;
}

/** Returns the folders, files and links below a folder, sorted by path. Owners are root; permissions are those of all, 0644 or 0755. */
export function entriesOf(
  folder: string,
  { prefix, modifiedAt, isLeftOut = () => false }: Placed,
): TarEntry[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !isLeftOut(path));
  return paths.sort().map((path) => {
    const file = join(folder, path);
    const name = prefix + path;
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) return linkEntry(name, readlinkSync(file), modifiedAt);
    if (stat.isDirectory()) return folderEntry(`${name}/`, modifiedAt);
    return fileEntry(name, file, modifiedAt);
  });
}

/** Returns the entry of a file on the disk. It is executable in the archive if its owner may run it. */
export function fileEntry(name: string, file: string, modifiedAt: number): TarEntry {
  const { size, mode } = statSync(file);
  return {
    name,
    size,
    read: () => createReadStream(file),
    mode: (mode & 0o100) === 0 ? 0o644 : 0o755,
    modifiedAt,
  };
}

export function textEntry(name: string, text: string, modifiedAt: number, mode = 0o644): TarEntry {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, read: () => Readable.from([bytes]), mode, modifiedAt };
}

function linkEntry(name: string, link: string, modifiedAt: number): TarEntry {
  return { ...empty, name, mode: 0o777, modifiedAt, link };
}

/** Returns the entry of a folder, whose name ends with `/`. */
export function folderEntry(name: string, modifiedAt: number, { mode = 0o755, owner = 0 } = {}): TarEntry {
  return { ...empty, name, mode, owner, modifiedAt };
}

const empty = { size: 0, read: () => Readable.from([]) };
