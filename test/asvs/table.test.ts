/** The table of ASVS has a test or a sentence for each requirement, and names nothing that is not there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn, printed, readRequirements, readTags } from './table.ts';

const list = (...lines: string[]) => readRequirements(['# Head', '1 Input', ...lines].join('\n'));
const mark = '// asvs:';
const tagged = (numbers: string, line = "test('a key is refused', () => {});") =>
  readTags('a.test.ts', `${mark} ${numbers}\n${line}\n`);
const faults = (requirements: string, tags: ReturnType<typeof tagged> = []) =>
  faultsIn(list(requirements), tags, (path) => path === 'docs/there.md').join();

test('a requirement with a test, or with a sentence of a known kind, has no fault', () => {
  assert.equal(faults('1.2.3 1 words', tagged('1.2.3')), '');
  assert.equal(faults('1.2.3 1 words', tagged('1.2.3', "  testOnStores('a key is refused', {")), '');
  assert.equal(faults('1.2.3 1 words', tagged('1.2.3', "test(\n  'a key is refused',")), '');
  assert.equal(
    faults('1.2.3 1 words', tagged('1.2.3', 'for (const a of b)\n  test(`a key is refused`, () => {});')),
    '',
  );
  for (const sentence of ['document: docs/there.md', 'not met: no list', 'operator: the proxy does'])
    assert.equal(faults(`1.2.3 1 words | ${sentence}`), '', sentence);
});

test('a requirement without either, and a tag of nothing, are faults', () => {
  assert.match(faults('1.2.3 1 words'), /1\.2\.3 has neither/);
  assert.match(faults('1.2.3 1 words | surely: yes'), /begins with none/);
  assert.match(faults('1.2.3 1 words | not met:'), /begins with none/);
  assert.match(faults('1.2.3 1 words | document: docs/gone.md'), /does not exist/);
  assert.match(faults('1.2.3 1 words | not met: no list', tagged('1.2.3')), /drop its sentence/);
  assert.match(faults('1.2.3 1 words', tagged('1.2.3, 1.2.4')), /1\.2\.4, which is no requirement/);
  assert.match(faults('1.2.3 1 words', tagged('1.2.3', 'const a = 1;')), /above no test/);
  assert.match(faults('1.2.3 1 a b c d e f g h i j k l m', tagged('1.2.3')), /more than 12 words/);
});

test('the table has a row for each requirement, below its chapter', () => {
  const text = printed(list('1.2.3 1 words', '1.2.4 2 others | not met: no list'), tagged('1.2.3'));
  assert.match(text, /^## 1 Input$/m);
  assert.match(text, /^\| 1\.2\.3 \| 1 \| words \| a key is refused \(`a\.test\.ts`\) \|$/m);
  assert.match(text, /^\| 1\.2\.4 \| 2 \| others \| not met: no list \|$/m);
});
