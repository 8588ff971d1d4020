/** The command line as one file for each platform, of the archives of a release and Node: nothing has to be installed before it. */
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type TarEntry, tarBytes } from '@ploidy/client';
import { madeAt, readManifest, root } from './build.ts';
import { nodeFor, type Platform, platforms } from './platforms.ts';
import { entriesOf, fileEntry, folderEntry, textEntry } from './tree.ts';
import { writeZip } from './zip.ts';

const { version } = readManifest(root);
const program = 'node_modules/@ploidy/cli/bin/ploidy.js';

/** Name of the file for a platform. */
export function commandLineName({ os, cpu }: Platform): string {
  const system = { linux: 'linux', darwin: 'macos', win32: 'windows' }[os];
  return `ploidy-${version}-${system}-${cpu}${os === 'win32' ? '.zip' : '.tar.gz'}`;
}

/** Starts the command line where `sh` is, also by a link to this file. */
const script = `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/node" "$here/${program}" "$@"
`;
const windowsScript = `@"%~dp0node.exe" "%~dp0${program.replaceAll('/', '\\')}" %*\r\n`;

/** Writes the file of each platform into the folder of a release; its packages are those of an installation. */
export async function writeCommandLines(release: string, installed: string): Promise<void> {
  for (const platform of platforms) {
    const path = join(release, commandLineName(platform));
    const entries = entriesFor(platform, release, installed);
    if (platform.os === 'win32') await writeZip(path, entries);
    else await pipeline(tarBytes(entries), createGzip(), createWriteStream(path));
  }
}

function entriesFor(platform: Platform, release: string, installed: string): TarEntry[] {
  const modifiedAt = Math.floor(madeAt().getTime() / 1000);
  const isWindows = platform.os === 'win32';
  const prefix = `${commandLineName(platform).replace(/\.(?:zip|tar\.gz)$/, '')}/`;
  const node = nodeFor(platform);
  const name = isWindows ? 'node.exe' : 'node';
  const folders = [prefix, `${prefix}node_modules/`, `${prefix}node_modules/@ploidy/`];
  return [
    ...folders.map((folder) => folderEntry(folder, modifiedAt)),
    textEntry(
      `${prefix}${isWindows ? 'ploidy.cmd' : 'ploidy'}`,
      isWindows ? windowsScript : script,
      modifiedAt,
      0o755,
    ),
    { ...fileEntry(`${prefix}${name}`, join(node, 'bin', name), modifiedAt), mode: 0o755 },
    fileEntry(`${prefix}LICENSES.txt`, join(release, 'LICENSES.txt'), modifiedAt),
    ...neededBy('@ploidy/cli', installed).flatMap((needed) => [
      folderEntry(`${prefix}node_modules/${needed}/`, modifiedAt),
      ...entriesOf(join(installed, 'node_modules', needed), {
        prefix: `${prefix}node_modules/${needed}/`,
        modifiedAt,
      }),
    ]),
  ];
}

/** Returns the names of a package and of all that it depends on, sorted. */
function neededBy(name: string, installed: string): string[] {
  const found = new Set<string>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    const manifest = readFileSync(join(installed, 'node_modules', next, 'package.json'), 'utf8');
    waiting.push(...Object.keys(JSON.parse(manifest).dependencies ?? {}));
  }
  return [...found].sort();
}
