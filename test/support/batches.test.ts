import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { batchesOf } from './batches.ts';
import { aboveCeiling } from './report.ts';

const root = join(import.meta.dirname, '../..');

test('tests on both stores are in files that the runner finds', () => {
  const files = globSync(
    ['packages/*/src', 'samples', 'test'].map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  );
  const wrong = files
    .filter((file) => /\bdescribe(?:App|OnPostgres|InBrowser)\b/.test(readFileSync(join(root, file), 'utf8')))
    .filter((file) => !/\.test\.ts$/.test(file));
  assert.deepEqual(wrong.sort(), ['test/browser/chromium.ts', 'test/support/app.ts']);
});

/** Runs files that are not of the house, one after the other, as the runner does. */
function runFiles(texts: Record<string, string>): { status: number | null; stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-runner-'));
  try {
    const files = Object.entries(texts).map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return relative(root, join(folder, name));
    });
    const durations = Object.fromEntries(files.map((file, place) => [file, files.length - place]));
    const scripts = batchesOf([{ files }], { folder, count: 1, durations });
    const reporter = `--test-reporter=${join(import.meta.dirname, 'report.ts')}`;
    const {
      NODE_TEST_CONTEXT: _,
      PLOIDY_TEST_DURATIONS: __,
      PLOIDY_TEST_CEILING: ___,
      ...rest
    } = process.env;
    const env = { ...rest, CI: '', PLOIDY_TEST_CLAIMS: folder, PLOIDY_TEST_FILES: JSON.stringify(files) };
    const words = ['--test', reporter, '--test-reporter-destination=stdout', ...scripts];
    return spawnSync(process.execPath, words, { env, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const passes = "import { test } from 'node:test'; test('passes', () => undefined);";

test('files of one process run one after the other, each with its hooks and its name', () => {
  const fails = `import { before, test } from 'node:test'; let made; before(() => { made = 'made'; });
    test('fails', () => { throw new Error(made); });`;
  const { status, stdout } = runFiles({ 'first.mjs': passes, 'second.mjs': fails, 'third.mjs': passes });
  assert.equal(status, 1);
  assert.match(stdout, /✖ fails\n[\s\S]*Error: made/);
  assert.match(stdout, /third\.mjs[\s\S]*ℹ pass 2\nℹ fail 1\n/);
});

test('a file that ends its process is named, and those not run after it are counted', () => {
  const ends = "import { test } from 'node:test'; test('ends', () => process.exit(0));";
  const { status, stdout } = runFiles({ 'ends.mjs': ends, 'after.mjs': passes });
  assert.equal(status, 1);
  assert.match(stdout, /✖ \S+ends\.mjs began and did not end\.\n✖ 1 files never began\.\n/);
});

test('a whole run above its ceiling of processor time names the ceiling', () => {
  assert.match(
    aboveCeiling('testProcessorSeconds', 1e6).join(),
    /"testProcessorSeconds" in test\/ceilings\.json/,
  );
  assert.deepEqual(aboveCeiling('testProcessorSeconds', 1), []);
});
