/** Checks the words of the repository. `--commits`: the subjects of recent commits instead. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
  const files = git('ls-files', '*.ts').filter(
    (path) => !/\/generated\/|^samples\/data\/|^test\/words\//.test(path),
  );
  return [
    ...files.flatMap((path) => findingsIn(path, readFileSync(join(root, path), 'utf8'))),
    ...findingsInApi(api, JSON.parse(readFileSync(join(root, api), 'utf8'))),
  ];
}

/** Returns the subjects of the commits since the last tag, or of the last 50. */
function subjects(): string[] {
  const [tag] = git('tag', '--merged', 'HEAD', '--sort=-creatordate');
  const range = tag === undefined ? '-50' : `${tag}..HEAD`;
  return git('log', '--no-merges', '--format=%s', range).filter((subject) => !isOld(subject));
}

/** Subjects that are older than the check and longer than it allows. */
function isOld(subject: string): boolean {
  return [
    "test(browser): expect the console after signing in; name the loader's role",
    'fix: let twenty statements of a caller wait; test odd headers as they are',
    'fix(backup): end opening links with a restore; test ids beyond 255 letters',
    'build: keep the PostgreSQL of tests out of production, pin the Node binary',
    'fix: write no cores, hide keys by themselves, start Windows without a shell',
    'refactor(sign-in): rewrite words plainly; name consent, backoff and resets',
  ].includes(subject);
}

function git(...words: string[]): string[] {
  const { status, stdout, stderr } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
}
