/**
 * Runs every `*.test.ts` of the house with node's test runner, or those whose path holds one of the given words:
 * `npm test`, `npm test -- policy http`.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';

const root = dirname(import.meta.dirname);
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const files = globSync(['packages/*/src/**/*.test.ts', 'samples/**/*.test.ts', 'test/**/*.test.ts'], {
  cwd: root,
})
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`No test file matches ${words.join(' ')}\n`);
  process.exit(2);
}
const run = spawnSync(process.execPath, ['--test', '--test-reporter=spec', ...flags, ...files], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
