import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { CommandError, exitCodes } from './exit.ts';

/**
 * Resolves the target of a download: the path, or under the last part of `name` into a folder. To be asked before the service is: a place
 * where no file can appear is a `CommandError`.
 */
export function localTarget(path: string, name: string): string {
  try {
    const target = present(path)?.isDirectory() ? join(path, basename(name)) : path;
    const there = present(target);
    if (there?.isDirectory()) throw notWritable(target, 'it is a folder');
    if (!there && (target.endsWith('/') || target.endsWith(sep)))
      throw notWritable(path, 'there is no such folder');
    // A file is written beside the one that it replaces; a pipe or a device is written to.
    if (there && !there.isFile()) accessSync(target, constants.W_OK);
    else accessSync(dirname(there ? realpathSync(target) : target), constants.W_OK | constants.X_OK);
    return target;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw notWritable(path, error.message);
  }
}

function present(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function notWritable(path: string, why: string): CommandError {
  return new CommandError(`${path} cannot be written: ${why}.`, exitCodes.usage);
}
