/** Code of earlier versions, taken from the history. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../../backup/operator.ts';

const root = join(import.meta.dirname, '../../..');

/** Finds the commit that froze a release: its code is that of the release. */
export function commitOf(release: string): string | undefined {
  const words = ['log', '-1', '--format=%H', '--diff-filter=A', '--', `test/upgrade/${release}/sqlite.br`];
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}

/** Places the code of a commit beside the packages that are installed here; answers the path of its program. */
export function codeOf(context: TestContext, commit: string): string {
  const folder = newFolder(context);
  mkdirSync(folder);
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['--extract', '--directory', folder], { input: archive });
  mkdirSync(join(folder, 'node_modules/@ploidy'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@ploidy') symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@ploidy', name));
    const own = join(root, 'packages', name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, 'packages', name, 'node_modules'));
  }
  return join(folder, 'bin/ploidy.js');
}
