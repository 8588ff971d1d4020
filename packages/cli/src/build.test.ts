import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildText, commitOf } from './build.ts';

const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];

function repository(context: TestContext): { folder: string; git(...words: string[]): string } {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-git-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...words: string[]) =>
    execFileSync('git', [...author, ...words], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  git('init', '--initial-branch=main');
  writeFileSync(join(folder, 'a'), 'a');
  git('add', 'a');
  git('commit', '--message=first');
  return { folder, git };
}

test('the commit of a branch is found, loose and packed, detached, and in a further work tree', (context) => {
  const { folder, git } = repository(context);
  const commit = git('rev-parse', 'HEAD');
  assert.deepEqual(commitOf(folder), { commit });
  git('worktree', 'add', '-b', 'other', 'tree');
  assert.deepEqual(commitOf(join(folder, 'tree')), { commit });
  git('pack-refs', '--all');
  assert.deepEqual(commitOf(folder), { commit });
  assert.deepEqual(commitOf(join(folder, 'tree')), { commit });
  git('checkout', '--detach');
  assert.deepEqual(commitOf(folder), { commit });
});

test('a folder without Git has no commit', (context) => {
  const { folder } = repository(context);
  rmSync(join(folder, '.git'), { recursive: true });
  assert.deepEqual(commitOf(folder), {});
});

test('a version names commit and date as far as they are known', () => {
  assert.equal(buildText({ version: '1.2.3' }), '1.2.3');
  const commit = 'c6fd8f6b0d7e4a5f6b7c8d9e0f1a2b3c4d5e6f70';
  assert.equal(buildText({ version: '1.2.3', commit }), '1.2.3 (commit c6fd8f6b0d7e)');
  const builtAt = '2026-11-29T10:00:00.000Z';
  assert.equal(buildText({ version: '1.2.3', commit, builtAt }), `1.2.3 (commit c6fd8f6b0d7e of ${builtAt})`);
});
