/** Checks the words of the repository. `--commits`: the subjects of recent commits instead. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, findingsIn, findingsInApi, findingsInSubjects } from './findings.ts';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { commits: { type: 'boolean' } } });
const findings = values.commits ? findingsInSubjects(subjects()) : ofTree();
for (const { path, line, rule, text } of findings.slice(0, 50))
  process.stderr.write(`${path}:${line} ${rule}: ${text.slice(0, 120)}\n`);
if (findings.length > 0) process.stderr.write(`words: ${findings.length} findings (docs/glossary.md)\n`);
process.exitCode = findings.length > 0 ? 1 : 0;

function ofTree(): Finding[] {
  const api = 'docs/openapi.json';
  // Also files that are not yet added.
  const listed = git(
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '*.ts',
    '*.tsx',
    '*.py',
    '*.md',
  );
  const files = listed.filter(
    (path) =>
      !/\/generated\/|^samples\/data\/|^test\/words\/|^CHANGELOG\.md$/.test(path) &&
      existsSync(join(root, path)),
  );
  return [
    ...files.flatMap((path) => findingsIn(path, readFileSync(join(root, path), 'utf8'))),
    ...findingsInApi(api, JSON.parse(readFileSync(join(root, api), 'utf8'))),
  ];
}

/** Returns the subjects of the commits since this check, or the last tag, came; of the last 200 at most. */
function subjects(): string[] {
  const [tag] = git('tag', '--merged', 'HEAD', '--sort=-creatordate');
  const first = tag ?? git('log', '--diff-filter=A', '--format=%H', '--', 'test/words/main.ts').at(-1);
  const range = first === undefined ? [] : [`${first}..HEAD`];
  return git('log', '--no-merges', '--format=%s', '-200', ...range);
}

function git(...words: string[]): string[] {
  const { status, stdout, stderr } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
}
