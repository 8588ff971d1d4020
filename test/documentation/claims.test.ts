/** Every block of code of README, docs/operate and docs/guides has one test. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { engineCatalog } from '../trino/cluster.ts';
import { blocks, blocksFor, claiming, testsOf } from './claims.ts';
import {
  isSettings,
  operateBlocks,
  operateLines,
  reasonFor,
  unknownPrograms,
  unusedReasons,
} from './operate-lines.ts';

const root = join(import.meta.dirname, '../..');

test('every block has exactly one test', () => {
  const wrong = blocks
    .filter((block) => testsOf(block).length !== 1)
    .map((block) => `${block.at}: ${testsOf(block).join(', ') || 'no test (test/documentation/claims.ts)'}`);
  assert.deepEqual(wrong, []);
  assert.ok(blocks.length > 40, `${blocks.length} blocks`);
});

test('every test of the list is there, receives blocks, and reads them from the list', () => {
  const wrong = [...claiming].filter((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    const reads = path.endsWith('.py')
      ? source.includes('docs/guides')
      : /\b(?:blocksFor|operateBlocks|operateLines)\(/.test(source);
    return !reads || blocksFor(join(root, path)).length === 0;
  });
  assert.deepEqual(wrong, []);
});

test('every command for operators is run by the trial, or has a reason that is true of it', () => {
  const wrong = operateLines()
    .filter(({ command }) => reasonFor(command) === undefined)
    .flatMap(({ at, command }) => unknownPrograms(command).map((program) => `${at}: ${program}: ${command}`));
  assert.deepEqual(wrong, []);
  assert.deepEqual(unusedReasons(), []);
});

test('settings of blocks and of commands are accepted', () => {
  const ofCommands = operateLines()
    .filter(({ output }) => output === '')
    .map(({ command }) => command);
  for (const text of [
    ...operateBlocks()
      .filter(isSettings)
      .map(({ code }) => code),
    ...ofCommands,
  ]) {
    const found = [...text.matchAll(/(?<=^|\s)(PLOIDY_\w+)=("[^"]*"|'[^']*'|\S+)/g)];
    const given = Object.fromEntries(
      found.map(([, name = '', value = '']) => [name, value.replaceAll(/["']/g, '')]),
    );
    assert.doesNotThrow(() => readConfig(given), text);
  }
});

test('the catalogue of docs/operate/trino.md is that of the trial', () => {
  const [block] = blocksFor(import.meta.filename);
  const lines = block?.code.trim().split('\n') ?? [];
  const proper = engineCatalog('https://ploidy.example.org', lines.slice(-4));
  assert.deepEqual(lines.toSorted(), proper.toSorted());
});
