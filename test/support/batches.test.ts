import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

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
