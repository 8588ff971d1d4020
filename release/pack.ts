/**
 * `npm run pack`: builds the packages into `build/release`, with a lock file for the service, checksums and a bill of
 * materials. The folder also has the licences of everything that ships. Prints the names.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, npm, packages, readManifest, root } from './build.ts';
import { billOfMaterials, licences } from './materials.ts';

/** Packs everything into a new folder; answers the folder in it with the files. */
export function pack(folder = join(root, 'build')): string {
  const folders = build(folder);
  const output = join(folder, 'release');
  mkdirSync(output);
  // One call for all: the start of npm takes longer than the packing.
  npm('pack', '--silent', '--pack-destination', output, ...folders);
  writeInstallation(output);
  const bill = billOfMaterials(output);
  writeFileSync(join(output, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
  writeFileSync(join(output, 'LICENSES.txt'), licences(bill));
  copyFileSync(join(root, 'CHANGELOG.md'), join(output, 'CHANGELOG.md'));
  for (const name of ['deploy', 'docs/operate'])
    cpSync(join(root, name), join(output, name), { recursive: true });
  writeChecksums(output);
  return output;
}

/** Name of the file that `npm pack` makes. */
export function archiveOf(name: string): string {
  return `ploidy-${name}-${readManifest(root).version}.tgz`;
}

interface Lock {
  packages: Record<string, object>;
}

/**
 * Writes a manifest and a lock file for an installation of the service from the archives beside them: `npm ci --omit=dev` there brings
 * the versions that were tested. The lock file begins with that of the project; npm then drops what the service does not need.
 */
function writeInstallation(output: string): void {
  const { version, overrides } = readManifest(root);
  const dependencies = Object.fromEntries(
    packages.map((name) => [`@ploidy/${name}`, `file:${archiveOf(name)}`]),
  );
  const about = { name: 'ploidy-service', version, private: true, dependencies, overrides };
  writeFileSync(join(output, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const others = Object.entries(lock.packages).filter(
    ([path]) => path.startsWith('node_modules/') && !path.startsWith('node_modules/@ploidy/'),
  );
  const seed = { ...lock, name: about.name, packages: { '': about, ...Object.fromEntries(others) } };
  writeFileSync(join(output, 'package-lock.json'), `${JSON.stringify(seed, null, 2)}\n`);
  copyFileSync(join(root, '.npmrc'), join(output, '.npmrc'));
  npm('install', '--package-lock-only', '--ignore-scripts', '--prefix', output);
}

/** Copies what an installation of the service needs: a release without its images and archives of the command line. */
export function copyForService(release: string, folder: string): void {
  const isLarge = /-image[^/]*\.tar$|\.tar\.gz$|\.zip$/;
  cpSync(release, folder, { recursive: true, filter: (path) => !isLarge.test(path) });
}

/** Names of all files below a folder, sorted. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

/** Writes the digests of all files of a release. */
export function writeChecksums(output: string): void {
  const lines = filesOf(output)
    .filter((name) => name !== 'SHA256SUMS')
    .map((name) => {
      const digest = createHash('sha256').update(readFileSync(join(output, name)));
      return `${digest.digest('hex')}  ${name}\n`;
    });
  writeFileSync(join(output, 'SHA256SUMS'), lines.join(''));
}

if (import.meta.main) process.stdout.write(`${pack()}\n`);
