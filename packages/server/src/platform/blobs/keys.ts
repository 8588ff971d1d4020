import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { notFound } from '../../base/problem.ts';

const keyShape = /^[0-9a-f]{32}$/;
const scratchShape = /^[0-9a-f]{32}(\.[a-z0-9]{1,16})?$/;

/** Returns a new key: 128 random bits in hex. */
export function newKey(): string {
  return randomBytes(16).toString('hex');
}

export function isKey(name: string): boolean {
  return keyShape.test(name);
}

/** True for a name that `scratchPath` may have given. */
export function isScratchName(name: string): boolean {
  return scratchShape.test(name);
}

/** Builds the path of a blob below `folder`, as `ab/abcd…`. Checks the key first: nothing else ever becomes a path. */
export function keyPath(folder: string, key: string): string {
  if (!isKey(key)) throw notFound();
  return join(folder, key.slice(0, 2), key);
}
