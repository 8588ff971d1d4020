import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSource, sourceFile } from '../architecture/source.ts';
import { faultsOf } from './ceilings.ts';
import { namedFiles, smallFiles } from './crumbs.ts';
import { isTest, measuresOf } from './measures.ts';

const measured = (value: number) => ({ words: { value, about: 'words', places: ['docs/a.md 7'] } });

test('a value at its ceiling, or just below, is no fault', () => {
  assert.deepEqual(faultsOf(measured(100), { words: 100 }), []);
  assert.deepEqual(faultsOf(measured(98), { words: 100 }), []);
});

test('a value above its ceiling is reported with number, ceiling, file and places', () => {
  const [fault = '', ...others] = faultsOf(measured(101), { words: 100 });
  assert.match(fault, /words: 101, ceiling 100: .*"words" in test\/ceilings\.json\n +docs\/a\.md 7/);
  assert.deepEqual(others, []);
});

test('a value far below its ceiling asks for a lower one', () => {
  assert.match(faultsOf(measured(97), { words: 100 }).join(), /lower "words" in test\/ceilings\.json to 97/);
});

test('a measure without a ceiling and a ceiling without a measure are reported', () => {
  const faults = faultsOf(measured(1), { lines: 1 });
  assert.equal(faults.length, 2);
});

test('crumbs, circles through import(), and hard casts are counted', () => {
  const files = {
    'packages/console/src/a.ts': "import { b } from './b.ts';\nconst x = y as unknown as Z;",
    'packages/console/src/b.ts': 'export const b = 1;',
    'packages/console/src/part/c.ts': "import { d } from '../d.ts';",
    'packages/console/src/d.ts': "const c = await import('./part/c.ts');",
  };
  const sources = Object.entries(files).map(([path, text]) => sourceFile(path, text));
  const { crumbs, circles, consoleCasts } = measuresOf({ root: '.', tracked: [], sources, code: sources });
  assert.deepEqual(crumbs?.places, ['packages/console/src/b.ts ← a.ts']);
  assert.equal(circles?.value, 1);
  assert.equal(consoleCasts?.value, 1);
});

test('an exception for small files excuses at least one, and there are at most ten', () => {
  const small = smallFiles(readSource().filter(({ path }) => !isTest(path)));
  const idle = namedFiles.filter(({ files }) => !small.some(({ path }) => files.test(path)));
  assert.deepEqual(idle, []);
  assert.ok(namedFiles.length <= 10);
});
