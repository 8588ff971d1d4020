/** Commands in documents exist. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { commandLine } from '../../packages/cli/src/main.ts';
import { understand } from '../../packages/server/src/admin/admin-arguments.ts';
import { clientVariables, settings } from '../../packages/server/src/config/config.ts';
import { anchorsIn, commandsIn, firstCells, fragmentsIn, linksIn, pathsIn } from './markdown.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'samples/README.md',
  ...globSync('docs/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/')),
];
const reported = documents.flatMap((path) => commandsIn(path, read(path)));
const scripts = Object.keys(JSON.parse(read('package.json')).scripts as object);
/** What npm knows by itself. */
const npmOwn = new Set(['ci', 'test', 'start', 'install']);
/** Stand for something, or are wrong on purpose. */
const placeholder = /[…<>[\]{}*]/;
const wrongOnPurpose = new Set(['PLOIDY_PROT']);

/** Returns the words behind `ploidy`, however it is started; `undefined` for other commands. */
function ploidyWords(words: readonly string[]): string[] | undefined {
  if (words[0] === 'ploidy') return words.slice(1);
  if (/(^|\/)node$/.test(words[0] ?? '') && words[1] === 'bin/ploidy.js') return words.slice(2);
  if (words.slice(0, 4).join(' ') === 'npm run ploidy --') return words.slice(4);
  return undefined;
}

/** Finds the error of a client command line. */
function faultIn(words: readonly string[]): string | undefined {
  let command: Command = commandLine();
  let at = 0;
  for (; at < words.length; at += 1) {
    const next = command.commands.find(
      (one) => one.name() === words[at] || one.aliases().includes(words[at] ?? ''),
    );
    if (!next) break;
    command = next as Command;
  }
  if (command.commands.length > 0) {
    const rest = words[at];
    return rest === undefined || placeholder.test(rest) || rest === '--help' || rest === '--version'
      ? undefined
      : `no command ${rest}`;
  }
  const known = (flag: string) =>
    flag === '--help' || command.options.some((one) => one.long === flag || one.short === flag);
  const flags = words.slice(at).filter((word) => /^\[?--?[a-z]/.test(word));
  return flags
    .map((flag) => flag.replace(/^\[|\]…?$/g, '').split(/[=|]/)[0] ?? '')
    .find((flag) => !known(flag));
}

test('every npm command is one of npm or a script of package.json', () => {
  const wrong = reported.filter(({ words: [program, verb = '', script = ''] }) => {
    if (program !== 'npm' || placeholder.test(`${verb}${script}`)) return false;
    return verb === 'run' ? !scripts.includes(script) : !npmOwn.has(verb);
  });
  assert.deepEqual(wrong, []);
  assert.ok(reported.filter(({ words: [program] }) => program === 'npm').length > 10, 'they are found');
});

test('every benchmark that a document names is there', () => {
  const benchmarks = [...read('bench/main.ts').matchAll(/^ {2}'?([\w-]+)'?: \(\) => import/gm)].map(
    ([, name]) => name,
  );
  const named = reported.filter(({ words }) => words.slice(0, 4).join(' ') === 'npm run bench --');
  const wrong = named.filter(({ words: [, , , , name = ''] }) => !benchmarks.includes(name.split('=')[0]));
  assert.deepEqual(wrong, []);
  assert.ok(named.length > 15, `${named.length} of them`);
});

test('every ploidy command and each of its options is there', () => {
  const ours = reported.flatMap(({ at, words }) => {
    const rest = ploidyWords(words);
    return rest === undefined || rest.every((word) => placeholder.test(word)) ? [] : [{ at, rest }];
  });
  const wrong = ours.flatMap(({ at, rest }) => {
    if (rest[0] === 'serve') {
      const known = /^--(?:help|port|data)$/;
      const wrong = rest.find((word) => word.startsWith('-') && !known.test(word));
      return wrong === undefined ? [] : [`${at}: serve has no option ${wrong}`];
    }
    if (rest[0] !== 'admin') {
      const fault = faultIn(rest);
      return fault === undefined ? [] : [`${at}: ploidy ${rest.join(' ')}: ${fault}`];
    }
    // A command that is only named, without what it needs, has to be the beginning of one.
    const words = rest.slice(1);
    const isKnown = (...more: string[]): boolean =>
      !/^There is no command|^Unknown option| takes no /.test(String(understand([...words, ...more])));
    const named = words.length === 0 || placeholder.test(words[0] ?? '') || isKnown();
    return named || isKnown('FOLDER') ? [] : [`${at}: ploidy admin ${words.join(' ')}`];
  });
  assert.deepEqual(wrong, []);
  assert.ok(ours.length > 20, 'they are found');
});

test('the table of docs/cli.md names commands and options that are there, and every command', () => {
  const program = commandLine();
  const named = new Set<string>(['admin', 'serve']);
  const wrong: string[] = [];
  for (const [first = '', ...more] of firstCells(read('docs/cli.md'))) {
    const group = first.split(' ')[0] ?? '';
    if (['serve', 'admin'].includes(group) || /^[A-Z\d]/.test(group)) continue;
    for (const [index, span] of [first, ...more].entries()) {
      const words = span.split(' ');
      if (words[0] === '-f' || words[0] === '-') continue;
      // Spans after the first go on with its group, unless they are commands of their own.
      const own = program.commands.some(
        (one) => one.name() === words[0] || one.aliases().includes(words[0] ?? ''),
      );
      const flagsOnly = words[0]?.startsWith('[');
      const line = index === 0 || own ? words : flagsOnly ? [group, ...words] : [group, ...words];
      const fault = faultIn(line);
      if (fault !== undefined) wrong.push(`${line.join(' ')}: ${fault}`);
      named.add(line[0] ?? '');
    }
  }
  assert.deepEqual(wrong, []);
  const missing = program.commands
    .map((one) => one.name())
    .filter((name) => !named.has(name) && name !== 'help');
  assert.equal(missing.length, 0, `commands without a line in docs/cli.md: ${missing.join(', ')}`);
});

test('every setting that a document names is one', () => {
  const known = new Set<string>([
    ...Object.values(settings).map(({ variable }) => variable),
    ...clientVariables,
  ]);
  const wrong = documents.flatMap((path) =>
    [...read(path).matchAll(/\bPLOIDY_[A-Z0-9_]+/g)]
      .map(([name]) => name)
      .filter((name) => !known.has(name) && !wrongOnPurpose.has(name) && !name.startsWith('PLOIDY_TEST_'))
      .map((name) => `${path}: ${name}`),
  );
  assert.deepEqual(wrong, []);
});

test('every file that a link, a command or a span of code names is there', () => {
  const links = documents.flatMap((path) =>
    linksIn(read(path))
      .filter((target) => !existsSync(join(root, dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  );
  const ours = /^(packages|test|docs|samples|bench|bin|node_modules\/\.bin)\//;
  const files = reported.flatMap(({ at, words }) =>
    words
      .filter((word) => ours.test(word) && !placeholder.test(word) && !existsSync(join(root, word)))
      .map((word) => `${at}: ${word}`),
  );
  const spans = documents
    .flatMap((path) => pathsIn(path, read(path)))
    .filter(({ named }) => !existsSync(join(root, named)))
    .map(({ at, named }) => `${at}: ${named}`);
  assert.deepEqual([...links, ...files, ...spans], []);
});

test('every fragment of a link is a heading of its document', () => {
  const wrong = documents.flatMap((path) =>
    fragmentsIn(read(path))
      .filter(({ target, fragment }) => {
        const file = target === '' ? path : join(dirname(path), target);
        return file.endsWith('.md') && !anchorsIn(read(file)).includes(fragment);
      })
      .map(({ target, fragment }) => `${path}: ${target}#${fragment}`),
  );
  assert.deepEqual(wrong, []);
});
