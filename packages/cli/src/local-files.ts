import { accessSync, constants, globSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { CommandError, exitCodes } from './exit.ts';

/** File to send. */
export interface Source {
  path: string;
  /** Name in the project. */
  name: string;
  /** Bytes; 0 of standard input, whose end is unknown. */
  size: number;
}

interface NamingOptions {
  name?: string;
  prefix?: string;
  recursive?: boolean;
}

/** Lists the files of paths, folders and patterns. All are checked before the first is sent: no fault leaves half of them. */
export function sourcesOf(paths: readonly string[], options: NamingOptions): Source[] {
  const sources = paths.flatMap(matches).flatMap((path) => filesAt(path, options));
  if (options.name && sources.length > 1)
    throw new CommandError('--name goes with one file; use --prefix for several.', exitCodes.usage);
  const names = new Set<string>();
  for (const { path, name } of sources) {
    if (names.has(name))
      throw new CommandError(
        `${path} and another file would both be ${name}: upload one of them separately, with --name or another --prefix.`,
        exitCodes.usage,
      );
    names.add(name);
  }
  return sources;
}

/** Expands a pattern that no shell has expanded (Windows, quotes). */
function matches(path: string): string[] {
  if (!/[*?[]/.test(path) || statSync(path, { throwIfNoEntry: false })) return [path];
  const found = globSync(path).sort();
  if (found.length > 0) return found;
  throw new CommandError(`No file matches ${path}.`, exitCodes.usage);
}

function filesAt(path: string, options: NamingOptions): Source[] {
  if (path === '-') {
    if (!options.name) throw new CommandError('Standard input needs a --name.', exitCodes.usage);
    return [{ path, name: inFolder(options.name, options), size: 0 }];
  }
  const found = readable(path);
  if (found?.isDirectory()) {
    if (options.recursive) return filesUnder(path, options);
    throw new CommandError(`${path} is a folder; -r uploads the files in it.`, exitCodes.usage);
  }
  if (!found?.isFile()) throw new CommandError(`${path} is not a file that can be read.`, exitCodes.usage);
  return [{ path, name: inFolder(options.name ?? basename(path), options), size: found.size }];
}

/** Lists the files of a folder, with the folder's own name in theirs; not those of hidden names. */
export function filesUnder(folder: string, options: NamingOptions, top = basename(folder)): Source[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return entries.flatMap((relative) => {
    const path = join(folder, relative);
    if (relative.split(sep).some((part) => part.startsWith('.'))) return [];
    const found = readable(path);
    if (!found?.isFile()) return [];
    const name = [...(top === '' || top === '.' ? [] : [top]), ...relative.split(sep)].join('/');
    return [{ path, name: inFolder(name, options), size: found.size }];
  });
}

function inFolder(name: string, { prefix }: NamingOptions): string {
  return prefix ? `${prefix.replace(/(?<!\/)\/+$/, '')}/${name}` : name;
}

function readable(path: string): Stats | undefined {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return undefined;
  }
}
