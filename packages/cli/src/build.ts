/** The build that runs: its version, and the commit, with its date, that a release was packed from. All packages share it. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface Build {
  version: string;
  /** Hash of the commit; absent when it is unknown. */
  commit?: string;
  /** When the commit was made, RFC 3339. Only packed releases have it. */
  builtAt?: string;
}

/** The manifest of this package. In a checkout it is private, and `release/build.ts` adds `build` to that of a release. */
interface Manifest {
  version: string;
  private?: boolean;
  build?: { commit?: string; builtAt: string };
}

const folder = resolve(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

export const build: Build = {
  version: manifest.version,
  ...(manifest.private ? commitOf(resolve(folder, '../..')) : manifest.build),
};

/** `0.2.0 (commit c6fd8f6b0d7e of 2026-11-29T10:00:00.000Z)`, without what is unknown. */
export function buildText({ version, commit, builtAt }: Build): string {
  const known = [commit && `commit ${commit.slice(0, 12)}`, builtAt && `of ${builtAt}`].filter(Boolean);
  return known.length === 0 ? version : `${version} (${known.join(' ')})`;
}

/** Reads the commit of a checkout from the files of Git (gitrepository-layout(5)), which need not be installed. */
export function commitOf(checkout: string): { commit?: string } {
  const git = join(checkout, '.git');
  // In a further work tree `.git` is a file that names a folder, which shares the references of another one.
  const named = /^gitdir: (.+)$/m.exec(read(git))?.[1];
  const own = named === undefined ? git : resolve(checkout, named);
  const shared = resolve(own, read(join(own, 'commondir')).trim() || '.');
  const head = read(join(own, 'HEAD')).trim();
  const name = /^ref: (.+)$/.exec(head)?.[1];
  const packed = () =>
    read(join(shared, 'packed-refs'))
      .split('\n')
      .find((line) => line.endsWith(` ${name}`)) ?? '';
  const found = name === undefined ? head : read(join(shared, name)) || packed();
  const commit = /^[0-9a-f]{40,64}/.exec(found)?.[0];
  return commit === undefined ? {} : { commit };
}

/** Reads a small file; empty when there is none, or a folder in its place. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return '';
    throw error;
  }
}
