import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Returns the text of a file of the repository. */
export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Returns the texts of files that match, by path; tests are left out unless asked for. */
export function textsOf(pattern: string, withTests = false): Map<string, string> {
  const paths = globSync(pattern, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const kept = paths.filter((path) => withTests || !/\.(?:test|fixture)\.tsx?$/.test(path));
  return new Map(kept.sort().map((path) => [path, textOf(path)]));
}

/** Fails with one line for each entry that lacks a place, which names the file to touch. */
export function assertNoneMissing(lines: readonly string[]): void {
  assert.equal(lines.length, 0, `\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
