import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lackOf, tag, tagFaults } from '../../release/ready.ts';

function checkout(context: TestContext, changelog: string): string {
  const root = mkdtempSync(join(tmpdir(), 'ploidy-ready-'));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  return root;
}

function freeze(root: string, version: string): void {
  mkdirSync(join(root, 'test/upgrade', version), { recursive: true });
  for (const name of ['sqlite.br', 'postgres.br', 'migrations.json'])
    writeFileSync(join(root, 'test/upgrade', version, name), '');
}

test('a version without a frozen data folder, or without a dated section, is refused', (context) => {
  const root = checkout(
    context,
    '# Changelog\n\n## 0.2.0 (unreleased)\n\n- New.\n\n## 0.1.0 (2026-11-29)\n\n- First.\n',
  );
  freeze(root, '0.1.0');
  assert.deepEqual(lackOf(root, '0.1.0'), []);
  const [undated = '', frozen = ''] = lackOf(root, '0.2.0');
  assert.match(undated, /no section "## 0\.2\.0 \(YYYY-MM-DD\)"/);
  assert.match(frozen, /lacks sqlite\.br, postgres\.br, migrations\.json: run "npm run freeze"/);
});

test('a version with an empty section is refused', (context) => {
  const root = checkout(context, '## 0.2.0 (2026-12-01)\n\n## 0.1.0 (2026-11-29)\n\n- First.\n');
  freeze(root, '0.2.0');
  assert.deepEqual(lackOf(root, '0.2.0'), [
    'The section 0.2.0 of CHANGELOG.md is empty: write what changed.',
  ]);
});

test('a commit is tagged once, with the section of its version, and not with uncommitted files', (context) => {
  const root = checkout(context, '## 0.2.0 (2026-12-01)\n\n### Added\n\n- New.\n');
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
  assert.match(tagFaults(root, '0.2.0').join(' '), /no clone/);
  git('init', '--quiet');
  git('config', 'user.email', 'release@ploidy.test');
  git('config', 'user.name', 'Release');
  assert.match(tagFaults(root, '0.2.0').join(' '), /not committed/);
  git('add', '.');
  git('commit', '--quiet', '--message=first');
  assert.deepEqual(tagFaults(root, '0.2.0'), []);
  tag(root, '0.2.0');
  assert.equal(git('cat-file', '-t', 'v0.2.0').trim(), 'tag');
  assert.match(
    git('tag', '--list', '--format=%(contents)', 'v0.2.0'),
    /^Ploidy 0\.2\.0\n\n### Added\n\n- New\./,
  );
  assert.match(tagFaults(root, '0.2.0').join(' '), /is there already/);
});
