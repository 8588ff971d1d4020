/** Programs decide by the codes of errors, so none changes or goes unnoticed: `errorAreas` has all that the sources have. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ErrorEntry, errorAreas } from '../../packages/server/src/base/error-codes/index.ts';
import { Problem } from '../../packages/server/src/base/problem.ts';
import { operationAt, operations, undeclaredCode } from '../fuzz/document.ts';

const root = join(import.meta.dirname, '../..');
const sources = globSync('packages/server/src/**/*.ts', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !/\.(?:test|fixture)\.ts$|\/testing\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Every way in which a code is written down, and the status that it has where none stands beside it. */
const forms: [RegExp, status?: string][] = [
  [/\b(?<status>[45]\d\d),\s*'(?<code>[A-Z][A-Z_\d]+)'/g],
  [/\bconflict\(\s*'(?<code>[A-Z_]+)'/g, '409'],
  [/\[\s*'(?<code>INVITATION_[A-Z_]+)',/g, '409'],
  [/\brefused\(\s*'(?<code>SAML_[A-Z_]+)'/g, '403'],
  [/\bstatusCode, '(?<code>[A-Z_]+)'/g, '400'],
  [/: ErrorBody = \{ error: message, code: '(?<code>[A-Z_]+)'/g, '417'],
];
/** Files that receive a code from elsewhere; the code matches a form at its origin. */
const handedOn = [
  'packages/server/src/base/problem.ts',
  'packages/server/src/domains/authentication/saml/messages/refusal.ts',
  'packages/server/src/domains/protocols/open-tables/table-copies.ts',
  'packages/server/src/http/connection/bodies.ts',
  'packages/server/src/http/contract/problems.ts',
];
/** Prefixes of engine error codes. */
const ofTheEngine = /new Problem\(422, `(?<beginning>[A-Z]+_)\$\{error\.code\}`/g;
const engineCodes = (beginning = ''): string[] => [
  ...['DISK', 'MEMORY', 'RESULT_SIZE', 'TIME'],
  ...(beginning === 'QUERY_' ? ['SQL'] : []),
];

function written(): string[] {
  const found = sources.flatMap(({ text }) => [
    ...forms.flatMap(([form, status]) =>
      [...text.matchAll(form)].map(({ groups }) => `${groups?.['status'] ?? status} ${groups?.['code']}`),
    ),
    ...[...text.matchAll(ofTheEngine)].flatMap(({ groups }) =>
      engineCodes(groups?.['beginning']).map((code) => `422 ${groups?.['beginning']}${code}`),
    ),
  ]);
  return [...new Set(found)].sort();
}

test('the catalogue has every code with its status, and no code that nothing answers with', () => {
  const entries = Object.values<Record<string, ErrorEntry>>(errorAreas).flatMap((area) =>
    Object.entries(area).map(([code, [status]]) => `${status} ${code}`),
  );
  assert.deepEqual(entries.sort(), written());
  assert.ok(entries.length > 100, 'they are found');
});

test('a code is written where it is thrown, except in the listed places', () => {
  const literal = /^(?:\s*\d{3},\s*'[A-Z_]+'|422, `[A-Z]+_\$)/;
  const others = sources.filter(({ text }) =>
    text.split('new Problem(').some((after, index) => index > 0 && !literal.test(after)),
  );
  assert.deepEqual(others.map(({ path }) => path).sort(), handedOn.toSorted());
});

test('a code without status, meaning and remedy does not compile', () => {
  // @ts-expect-error: the catalogue has no such code
  assert.equal(new Problem(400, 'NOT_IN_THE_CATALOGUE', 'No.').status, 400);
});

test('each code that a document names is in a test', () => {
  const documents = globSync('docs/**/*.md', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const tests = globSync(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
    .filter((path) => !path.endsWith('codes.test.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8'));
  const codes = new Set(Object.values<object>(errorAreas).flatMap((area) => Object.keys(area)));
  const named = new Set(
    documents.flatMap((text) =>
      [...text.matchAll(/`(?:\d{3} )?([A-Z][A-Z_]+)`/g)].map(([, code = '']) => code),
    ),
  );
  const unheld = [...named].filter(
    (code) => codes.has(code) && !tests.some((text) => RegExp(`\\b${code}\\b`).test(text)),
  );
  assert.deepEqual(unheld, []);
});

/** Conflicts that no operation with JSON answers: of pages, of commands on the host, and one that is caught. */
const elsewhere = [
  'LINK_REPLACED',
  'OVERTAKEN',
  'OWNER_ALREADY',
  'SECOND_FACTOR_OFF',
  'SECOND_FACTOR_ON',
  'SERVICE_RUNNING',
  'USER_EXISTS',
  'USER_GONE',
];

test('the API document declares every code of a conflict, at the operations that answer with it', () => {
  const conflicts = written().flatMap((one) => (one.startsWith('409 ') ? [one.slice(4)] : []));
  const declared = new Set(operations.flatMap(({ codes }) => codes));
  assert.deepEqual([...declared, ...elsewhere].sort(), conflicts);
});

test('a conflict with a code that the operation does not declare is found', () => {
  const operation = operationAt('POST', '/v1/projects');
  assert.ok(operation);
  const answer = (code: string) => ({ status: 409, body: Buffer.from(JSON.stringify({ code })) });
  assert.equal(undeclaredCode(operation, answer('PROJECT_EXISTS')), undefined);
  assert.match(undeclaredCode(operation, answer('FILE_EXISTS')) ?? '', /FILE_EXISTS is not declared/);
});
