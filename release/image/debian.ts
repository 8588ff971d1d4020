/**
 * Root of the images: the C libraries that Node and DuckDB need, a shell and its programs, from Debian's packages. `debian.json` pins each by version
 * and SHA-256; `node release/image/debian.ts` pins the newest ones. Needs the programs apt-get and dpkg-deb.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { run } from '../build.ts';
import { toolsFolder } from '../python.ts';

export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** Version of a package, and the digest of its file for each architecture. */
type Pin = { version: string } & Record<Architecture, string>;

const pinsFile = join(import.meta.dirname, 'debian.json');
const pins = JSON.parse(readFileSync(pinsFile, 'utf8')) as Record<string, Pin>;
const cache = join(toolsFolder, 'debian');

/** Unpacks the pinned packages for an architecture into a new folder, and lists them where scanners look. */
export function unpackRoot(architecture: Architecture, folder: string): void {
  const listed = join(folder, 'var/lib/dpkg/status.d');
  mkdirSync(listed, { recursive: true });
  for (const [name, pin] of Object.entries(pins)) {
    const file = packageFile(name, pin, architecture);
    run('dpkg-deb', ['--extract', file, folder]);
    writeFileSync(join(listed, name), execFileSync('dpkg-deb', ['--field', file]));
  }
}

/** Returns the file of a pinned package, which is fetched once. */
function packageFile(name: string, pin: Pin, architecture: Architecture): string {
  const file = join(cache, `${pin[architecture]}.deb`);
  if (existsSync(file)) return file;
  const { folder, files } = download(architecture, { [name]: pin.version });
  const [fetched = ''] = files;
  const digest = digestOf(join(folder, fetched));
  if (digest !== pin[architecture])
    throw new Error(`${fetched} is not the file that release/image/debian.json pins.`);
  renameSync(join(folder, fetched), file);
  rmSync(folder, { recursive: true });
  return file;
}

const digestOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/**
 * Downloads packages, by name and version, by this machine's list of sources, whatever its own architecture is. Fails when Debian has
 * replaced a version: then pin again.
 */
function download(architecture: Architecture, versions: Record<string, string | undefined>) {
  const state = join(cache, architecture);
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(state, name), { recursive: true });
  const own = {
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
    'Dir::State': state,
    'Dir::State::status': '/dev/null',
    'Dir::Cache': state,
  };
  const options = [
    '-qq',
    ...Object.entries(own).flatMap(([name, value]) => ['--option', `${name}=${value}`]),
  ];
  const wanted = Object.entries(versions).map(([name, version]) => (version ? `${name}=${version}` : name));
  const folder = mkdtempSync(join(state, 'new-'));
  try {
    if (!updated.has(architecture)) run('apt-get', [...options, 'update']);
    updated.add(architecture);
    run('apt-get', [...options, 'download', ...wanted], folder);
  } catch (cause) {
    rmSync(folder, { recursive: true });
    throw new Error(
      `Debian has no ${wanted.join(' ')} for ${architecture}: pin with "node release/image/debian.ts".`,
      { cause },
    );
  }
  return { folder, files: readdirSync(folder) };
}

const updated = new Set<Architecture>();

/** Pins the newest version of each package. */
function pinAgain(): void {
  const found: Record<string, Partial<Pin>> = {};
  for (const architecture of architectures) {
    const { folder, files } = download(
      architecture,
      Object.fromEntries(Object.keys(pins).map((name) => [name, undefined])),
    );
    for (const file of files.toSorted()) {
      const field = (name: string) =>
        execFileSync('dpkg-deb', ['--field', join(folder, file), name], { encoding: 'utf8' }).trim();
      const [name, version] = [field('Package'), field('Version')];
      const pin = found[name] ?? { version };
      found[name] = pin;
      if (pin.version !== version)
        throw new Error(`${name} has another version for ${architecture}: try again later.`);
      pin[architecture] = digestOf(join(folder, file));
    }
    rmSync(folder, { recursive: true });
  }
  writeFileSync(pinsFile, `${JSON.stringify(found, null, 2)}\n`);
}

if (import.meta.main) pinAgain();
