import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { hasCode } from '../error-code.ts';

/** Whether a folder is another one or lies in it, links followed; neither need be there yet. */
export async function isInside(folder: string, outer: string): Promise<boolean> {
  const path = relative(await realOf(resolve(outer)), await realOf(resolve(folder)));
  // From another drive (Windows) there is no relative path.
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
