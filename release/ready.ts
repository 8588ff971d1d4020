/** Conditions under which a version can be released, beside checks and tests. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const frozenFiles = ['sqlite.br', 'postgres.br', 'migrations.json'];

/** Returns a sentence for each thing that a version of this checkout lacks; none if it can be released. */
export function lackOf(root: string, version: string): string[] {
  const lacking: string[] = [];
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const section = sectionOf(changelog, version);
  if (section === undefined)
    lacking.push(`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)": date it.`);
  else if (section === '')
    lacking.push(`The section ${version} of CHANGELOG.md is empty: write what changed.`);
  const missing = frozenFiles.filter((name) => !existsSync(join(root, 'test/upgrade', version, name)));
  if (missing.length > 0)
    lacking.push(
      `test/upgrade/${version} lacks ${missing.join(', ')}: run "npm run freeze", which later versions open.`,
    );
  return lacking;
}

/** Returns the text of a dated section of a changelog; `undefined` if there is none. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const found = changelog.split(/^## /m).find((part) => part.startsWith(`${version} (`));
  const [title = '', ...lines] = found?.split('\n') ?? [];
  return /^\S+ \(\d{4}-\d\d-\d\d\)$/.test(title) ? lines.join('\n').trim() : undefined;
}

/** Returns a sentence for each thing that keeps the commit of a checkout from being tagged. */
export function tagFaults(root: string, version: string): string[] {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  if (!existsSync(join(root, '.git'))) return ['This is no clone of the repository: release from one.'];
  const faults: string[] = [];
  if (git('status', '--porcelain') !== '')
    faults.push('Files are not committed: commit them, or put them away.');
  if (git('tag', '--list', `v${version}`) !== '')
    faults.push(`The tag v${version} is there already: a released version is never released again.`);
  return faults;
}

/** Tags the commit of a checkout with a version, and the section of its changelog. */
export function tag(root: string, version: string): void {
  const section = sectionOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version) ?? '';
  const words = ['tag', '--annotate', '--cleanup=whitespace', '--file=-', `v${version}`];
  execFileSync('git', words, {
    cwd: root,
    input: `Ploidy ${version}\n\n${section}\n`,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}
