/** Files that others made for their own tests. `test/real-files/fetch.sh` fetches them into a cache outside of the repository. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const folder = process.env['PLOIDY_REAL_FILES'] ?? join(cache, 'ploidy-real-files');

/** Finds the reason to skip tests of these packages: they, or a program that reads them, are missing. */
export function realFilesSkip(packages: readonly string[], program?: string): string | false {
  const missing = packages.find((name) => !existsSync(join(folder, name)));
  if (missing !== undefined) return `${missing} is not fetched: bash test/real-files/fetch.sh`;
  if (program !== undefined && spawnSync(program, ['--version']).error) return `${program} is not installed`;
  return false;
}

/** Paths of the files of a package with one of these suffixes, in the order of their names. */
export function realFiles(name: string, suffixes: readonly string[]): string[] {
  const top = join(folder, name);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, encoding: 'utf8' })
    .filter((path) => suffixes.some((suffix) => path.endsWith(suffix)))
    .toSorted()
    .map((path) => join(top, path));
}

/** Finds the folder of a package. */
export const realFilesFolder = (name: string): string => join(folder, name);

/** Prints what a program writes about a file; undefined where it cannot read the file. */
export function printedBy(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): string | undefined {
  const env = { ...process.env, ...environment };
  const { stdout, status } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 29, env });
  return status === 0 ? stdout : undefined;
}
