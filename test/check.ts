/**
 * `npm run check`: format, lint, types, words, generated files in sync, ceilings of size. Each requirement of ASVS needs a test
 * or a sentence. `npm test` checks the architecture, too.
 */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

const root = dirname(import.meta.dirname);
if (process.argv[2] === '--census') {
  const { status } = spawnSync(process.execPath, ['test/census.ts', ...process.argv.slice(3)], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}
const steps: [string, string[]][] = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.']],
  ['types of the console', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/console']],
  ['words', ['test/words/main.ts']],
  ['generated files', ['packages/server/src/admin/generate/generate.ts', '--check']],
  ['ceilings', ['test/census.ts', '--check']],
  ['table of ASVS', ['test/asvs/main.ts', '--check']],
  ['architecture', ['--test', 'test/architecture.test.ts', 'test/architecture/dangers.test.ts']],
];
for (const [name, command] of steps) {
  process.stdout.write(`check: ${name}\n`);
  const run = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
