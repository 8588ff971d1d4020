import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingsIn, findingsInApi, findingsInSubjects } from './findings.ts';

const path = 'packages/cli/src/a.ts';

for (const text of [
  '/** Of the file. */',
  '/**\n * What a caller sees.\n */',
  'const a = 1; // what he asked for',
  '// Whoever has it may read it.',
  "test('of two keys the newer counts', () => {});",
  'describe(`what is gone`, () => {});',
  "throw new Problem(404, 'GONE', 'Nobody told the service.');",
  '/** So many bytes are free. */',
  '// What the caller sent is kept.',
  "testOnStores('his copies are removed', async () => {});",
  '// A record that says nothing is skipped.',
  '/** Rows come in pairs. */',
  '/** The count of rows. */\nexport function countOf(rows: Row[]): number {',
  '/** Returns the rows. */\nexport interface Rows {',
  '// Rejected: who owns the file decides.',
  '// Absent where none is named.',
  `// ${'one '.repeat(21)}.`,
  'const mistakes = [];',
  'const waitMost = 5;',
  "test('it is refused', () => {});",
  "test('is refused', () => {});",
  `test('${'a '.repeat(21)}', () => {});`,
])
  test(`words refused: ${text}`, () => assert.notEqual(findingsIn(path, text).length, 0));

for (const text of [
  '/** Bytes of the file. */',
  '/** Returns `his` unchanged. */',
  "const url = 'https://he.example/his';",
  "test('a revoked key is refused', () => {});",
  "throw new Problem(404, 'GONE', 'The file was deleted.');",
  'const heading = other; // The header lists columns.',
  '// Callers who may read it know its name.',
  '/** Returns the count of rows. */\nexport function countOf(rows: Row[]): number {',
  '/** Rejects with `InputError` for a broken source. */\nexport type Convert = (task: Task) => Promise<void>;',
  '/** Copying takes a tenth of the time; `?` stands for a parameter. */',
  "const label = 'at most 5 mistakes';",
  `// ${'one '.repeat(19)}: ${'two '.repeat(19)}.`,
])
  test(`words allowed: ${text}`, () => assert.deepEqual(findingsIn(path, text), []));

test('texts of pages and prose of Markdown follow the rules, blocks of code do not', () => {
  const page = 'packages/console/src/A.tsx';
  assert.equal(findingsIn(page, '<p>\n  Ask somebody for <b>access</b>.\n</p>').length, 1);
  assert.deepEqual(findingsIn(page, '<p>Ask an administrator for {access}.</p>'), []);
  const guide = 'docs/a.md';
  const [found] = findingsIn(guide, '```\nhis\n```\nAsk somebody.\n');
  assert.equal(found?.line, 4);
  assert.deepEqual(findingsIn(guide, '```\nhis\n```\nThe name `his`.\n'), []);
});

test('descriptions and summaries of the API follow the rules, names of fields do not count', () => {
  const document = {
    paths: {
      '/v1/a': {
        get: { summary: 'List', description: 'Of the caller himself' },
        put: { summary: 'State of a file' },
      },
    },
  };
  assert.equal(findingsInApi('docs/openapi.json', document).length, 3);
  assert.deepEqual(findingsInApi('docs/openapi.json', { his: { description: 'Name of the user' } }), []);
});

test('a commit subject over 72 characters, or without a conventional type, is refused', () => {
  const longest = `fix(files): ${'x'.repeat(60)}`;
  assert.deepEqual(findingsInSubjects([longest, 'docs: name the settings']), []);
  assert.equal(findingsInSubjects([`${longest}x`, 'name the settings', 'wip: settings']).length, 3);
});

for (const text of [
  '"""Of the file."""',
  'def f() -> int:\n    """The count of rows."""',
  'class A:\n    """Returns rows."""',
  'x = 1  # what he asked for',
  'def test_it_is_refused() -> None:',
  `"""${'one '.repeat(21)}."""`,
  'raise Problem("Nobody told the service.")',
])
  test(`words of Python refused: ${text}`, () =>
    assert.notEqual(findingsIn('packages/python/src/ploidy/a.py', text).length, 0));

for (const text of [
  'def f(\n    a: int,\n) -> int:\n    """Returns the count of rows."""',
  'class A:\n    """Count of rows."""',
  'def test_a_wrong_key_is_refused() -> None:\n    url = "https://he.example/#his"',
])
  test(`words of Python accepted: ${text}`, () =>
    assert.deepEqual(findingsIn('packages/python/src/ploidy/a.py', text), []));
