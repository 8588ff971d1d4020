import { accessSync, constants, globSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/**
 * Lists the files of a folder, with the folder's own name in theirs; not those of hidden names. Links are followed, but not into a
 * folder that holds them. `CommandError` for an unreadable one: it would seem to be absent.
 */
export function filesUnder(folder: string, options: NamingOptions, top = basename(folder)): Source[] {
  const start = top === '' || top === '.' ? [] : [top];
  const found = [...entriesUnder(folder, start)].sort((left, right) => (left.path < right.path ? -1 : 1));
  return found.map(({ name, ...entry }) => ({ ...entry, name: inFolder(name, options) }));
}

function* entriesUnder(
  folder: string,
  segments: readonly string[],
  above: readonly string[] = [],
): Generator<Source> {
  const real = realpathSync(folder);
  if (above.includes(real)) return;
  for (const entry of readdirSync(folder)) {
    if (isHidden(entry)) continue;
    const path = join(folder, entry);
    const found = readable(path);
    if (!found)
      throw new CommandError(`${path} cannot be read.`, undefined, 'Make it readable, or remove it.');
    const inside = [...segments, entry];
    if (found.isDirectory()) yield* entriesUnder(path, inside, [...above, real]);
    else if (found.isFile()) yield { path, name: inside.join('/'), size: found.size };
  }
}

/** Reports whether a name, or a folder in it, is hidden by a point. */
export function isHidden(name: string): boolean {
  return name.split('/').some((part) => part.startsWith('.'));
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
