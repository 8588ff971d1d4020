/** Claims of the documents: `README.json` beside this file has each sentence of README.md with the tests that hold it. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isBound, sentencesIn } from './sentences.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Tests by claim; a document is listed by its path. In README every sentence is a claim, elsewhere those with bounds. */
const listed = globSync('test/claims/**/*.json', { cwd: root }).map((path) => ({
  document: path.replaceAll('\\', '/').replace('test/claims/', '').replace('.json', '.md'),
  tests: JSON.parse(read(path)) as Record<string, string[]>,
}));

for (const { document, tests } of listed) {
  test(`each claim of ${document} has tests, and each listed claim is in it`, () => {
    const claims = sentencesIn(read(document)).filter(
      (sentence) => document === 'README.md' || isBound(sentence),
    );
    assert.deepEqual(
      claims.filter((sentence) => (tests[sentence]?.length ?? 0) === 0),
      [],
      `add them to test/claims/${document.replace('.md', '.json')} with their tests, or remove them`,
    );
    assert.deepEqual(
      Object.keys(tests).filter((sentence) => !claims.includes(sentence)),
      [],
      'no sentence of the document; remove them from the list',
    );
  });
}

test('each test of a claim exists under the name that the list has', () => {
  const wrong = listed.flatMap(({ document, tests }) =>
    Object.values(tests)
      .flat()
      .filter((one) => !isThere(one))
      .map((one) => `${document}: ${one}`),
  );
  assert.deepEqual(wrong, []);
  assert.ok(listed.some(({ document }) => document === 'README.md'));
});

/** Sentences that no test can hold. */
const unheld = ['a duty of the reader', 'a heading', 'not promised'];

/** Looks up `path: name of the test`, or `npm run bench -- name`. A name with a variable is cut off before it. */
function isThere(reference: string): boolean {
  if (unheld.includes(reference)) return true;
  const [, benchmark] = /^npm run bench -- (\w[\w-]*)/.exec(reference) ?? [];
  if (benchmark !== undefined) return RegExp(`^ {2}'?${benchmark}'?: `, 'm').test(read('bench/main.ts'));
  const [, path = '', name = ''] =
    /^(\S+\.(?:test|trial)\.tsx?|packages\/python\/tests\/\S+\.py): (.+)$/.exec(reference) ?? [];
  return path !== '' && existsSync(join(root, path)) && read(path).replaceAll('\\', '').includes(name);
}

test('README links to its claims', () => {
  assert.match(read('README.md'), /\]\(test\/claims\/README\.json\)/);
});

const wordsMax = { 'README.md': 600, 'docs/performance.md': 1200 };
for (const [path, max] of Object.entries(wordsMax))
  test(`${path} has at most ${max} words`, () => {
    const count = read(path).split(/\s+/).filter(Boolean).length;
    assert.ok(count <= max, `${count} words`);
  });

test('sentences are split as a reader sees them, and rows with tests or commands are left out', () => {
  const text =
    '# A\n\nOne `a. B` is\n[at](b.md) 3. Two is.\n\n- Never.\n\n| a | b |\n|---|---|\n| c | d |\n\n| a | test |\n|---|---|\n| c | d |\n';
  assert.deepEqual(sentencesIn(text), ['One `a. B` is at 3.', 'Two is.', 'Never.', 'c | d']);
  assert.deepEqual(sentencesIn(text).filter(isBound), ['One `a. B` is at 3.', 'Never.']);
});
