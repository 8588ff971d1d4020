import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { hasCode } from '../../base/error-code.ts';

/** Reports whether a folder equals or is below another, after following links; neither need exist. */
export async function isInside(folder: string, outer: string): Promise<boolean> {
  const path = relative(await realOf(resolve(outer)), await realOf(resolve(folder)));
  // Paths on another drive (Windows) are absolute.
  return !(path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path));
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    return join(await realOf(dirname(path)), basename(path));
  }
}
