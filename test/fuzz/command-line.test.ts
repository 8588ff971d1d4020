/** The command line with hostile arguments: each ends with an exit code and words, and never with a stack trace. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine, everyCommand, pathOf } from '../../packages/cli/src/main.ts';
import { cleanEnvironment } from '../support/server.ts';
import type { Line } from './command-line.fixture.ts';

const runner = join(import.meta.dirname, 'command-line.fixture.ts');
const id = '0192d3a1-5b7c-7e2a-9d40-6c1f2e3a4b5c';
/** Answers that let commands go on. */
const answers: [RegExp, object][] = [
  [
    /^\/v1\/accounts$/,
    { accounts: [{ id: 'main', name: 'Main', owner: 'o', type: 'PAID', assistants: 'off' }] },
  ],
  [/^\/v1\/projects\/[^/]+$/, { id, name: 'Trial', description: '' }],
  [/^\/v1\/(files|ingestions|cohorts|policies|ehrs|api-keys|account\/groups)$/, { items: [], links: {} }],
];
/** Answers of programs that are not this service, or of a connection that ends, by the key of the caller. */
const foreign: Readonly<Record<string, (response: ServerResponse) => void>> = {
  page: (response) => answerAs(response, 200, 'text/html', '<!doctype html><title>Sign in</title>'),
  failure: (response) => answerAs(response, 500, 'text/html', '<h1>Internal Server Error</h1>'),
  text: (response) => answerAs(response, 200, 'text/plain', 'It works!'),
  half: (response) => answerAs(response, 200, 'application/json', '{"items": [{"id": "01'),
  cut: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
    response.write('{"items": [');
    setImmediate(() => response.destroy());
  },
  nothing: (response) => answerAs(response, 200, 'application/json', ''),
  null: (response) => answerAs(response, 200, 'application/json', 'null'),
  list: (response) => answerAs(response, 200, 'application/json', '[1, null]'),
  object: (response) => answerAs(response, 200, 'application/json', '{}'),
  items: (response) => answerAs(response, 200, 'application/json', '{"items": [{}, 5], "links": {}}'),
  types: (response) =>
    answerAs(response, 200, 'application/json', '{"id": 5, "items": {}, "accounts": [null]}'),
  later: (response) => answerAs(response, 200, 'application/json', '{"items": [{}], "links": {}}'),
  error: (response) => answerAs(response, 400, 'application/json', '{"error": {"message": 5}, "code": null}'),
};
const server = createServer((request, response) => {
  const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
  const path = request.url?.split('?')[0] ?? '';
  const isLater = key === 'later' && /^\/v1\/projects\/[^/]+$/.test(path);
  const other = isLater ? undefined : foreign[key];
  if (other) {
    request.resume();
    other(response);
    return;
  }
  const found = request.method === 'GET' ? answers.find(([shape]) => shape.test(path))?.[1] : undefined;
  request.resume();
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify(found ?? { error: 'There is no such thing.', code: 'NOT_FOUND', requestId: 'r' }),
  );
});
let folder: string;

function answerAs(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type });
  response.end(text);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ploidy-words-'));
  writeFileSync(join(folder, 'small.json'), '{"a": 1}');
  writeFileSync(join(folder, 'broken.json'), '{"a": ');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const hostile = [
  '',
  '-',
  '--',
  '-1',
  '0',
  '99999999999999999999',
  '.',
  '/',
  '../..',
  'a b',
  '*',
  '[',
  '{}',
  '%',
  '%zz',
  "'",
  '\\',
  '\n',
  // No NUL: an argument of a process ends there.
  '\u0001',
  '\ud800',
  '\u202e',
  '\u{1f9ec}',
  'é'.repeat(300),
  '__proto__',
  'constructor',
  'https://other.example/v1/projects',
  'file:///etc/passwd',
  'v1/account',
  'GET',
  'FOO',
  id,
  'chr1:2-1',
  'chr1:',
  'a=b',
  '=',
  'a=',
  '2026-02-31',
  'SELECT 1',
  'small.json',
  'broken.json',
  'missing/out.bin',
];

/** Commands that wait for a person, or open a browser. */
const waiting = new Set(['login', 'open']);

/** Yields reproducible numbers from 0 to below `max`. */
function* numbers(seed: string): Generator<(max: number) => number> {
  for (let at = 0; ; at += 1)
    yield (max) => createHash('sha256').update(`${seed} ${at}`).digest().readUInt32BE(0) % max;
}

/** Makes lines of arguments for each command, from its own arguments and options. */
function lines(seed: string, rounds: number): string[][] {
  const source = numbers(seed);
  const below = (max: number): number => (source.next().value as (max: number) => number)(max);
  const word = (): string => hostile[below(hostile.length)] ?? '';
  return everyCommand(commandLine()).flatMap((command) => {
    const path = pathOf(command).split(' ');
    if (waiting.has(path[0] ?? '')) return [];
    return Array.from({ length: rounds }, () => {
      const { length: taken } = command.registeredArguments;
      const count = below(6) === 0 ? below(taken + 2) : taken;
      const options = command.options.flatMap((one) => {
        const flag = one.long ?? one.short ?? '';
        if (flag === '--project') return below(8) === 0 ? [flag, word()] : [flag, id];
        // Options of every command are not the ones that are tried here.
        if (below(['--profile', '--json', '--help'].includes(flag) ? 30 : 4) !== 0 && !one.mandatory)
          return [];
        return one.required && below(16) !== 0 ? [flag, word()] : [flag];
      });
      const isNamed = (text: string): boolean => !text.startsWith('-') || below(4) === 0;
      const words = Array.from({ length: count }, word).filter(isNamed);
      return [...path, ...words, ...options];
    });
  });
}

/** Makes one line for each command that its own parser accepts, so that the command asks the service. */
function proper(): string[][] {
  return everyCommand(commandLine()).flatMap((command) => {
    const path = pathOf(command).split(' ');
    // The runner has read the standard input at which `sql` prompts.
    if (waiting.has(path[0] ?? '') || path[0] === 'sql') return [];
    const words = command.registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? id);
    const needed = command.options.filter((one) => one.mandatory);
    const options = needed.flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'small.json']);
    const project = command.options.some(({ long }) => long === '--project') ? ['--project', id] : [];
    return [[...path, ...words, ...options, ...project]];
  });
}

/** Runs lines against the server; answers those that end badly. */
async function wrongOf(all: Line[]): Promise<string[]> {
  const { port } = server.address() as AddressInfo;
  const environment = {
    ...cleanEnvironment(),
    XDG_CONFIG_HOME: folder,
    PLOIDY_ADDRESS: `http://127.0.0.1:${port}`,
    PLOIDY_ACCOUNT: 'main',
  };
  const output = await new Promise<string>((resolve, reject) => {
    const options = { cwd: folder, env: environment, maxBuffer: 64 * 1024 ** 2 };
    const child = execFile(process.execPath, [runner], options, (error, stdout, stderr) =>
      error ? reject(new Error(`${stderr}\n${error.message}`)) : resolve(stdout),
    );
    child.stdin?.end(JSON.stringify(all));
  });
  return JSON.parse(output) as string[];
}

const seed = process.env['PLOIDY_TEST_SEED'] ?? 'words';

test('every command answers hostile arguments with an exit code and a sentence', async () => {
  assert.deepEqual(await wrongOf(lines(seed, 20).map((words) => ({ words, key: 'key' }))), []);
});

test('every command answers what is no answer of this service with an exit code and a sentence', async () => {
  const all = Object.keys(foreign).flatMap((key) => proper().map((words) => ({ words, key })));
  assert.deepEqual(await wrongOf(all), []);
});
