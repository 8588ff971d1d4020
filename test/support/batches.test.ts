import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

test('what is tested on both stores is so in files that the runner looks into, so that no command leaves it out', () => {
  const files = globSync(
    ['packages/*/src', 'samples', 'test'].map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  );
  const wrong = files
    .filter((file) => /\bdescribe(?:App|OnPostgres)\b/.test(readFileSync(join(root, file), 'utf8')))
    .filter((file) => !/\.(?:test|proof)\.ts$/.test(file));
  assert.deepEqual(wrong.sort(), ['test/support/app.ts']);
});
