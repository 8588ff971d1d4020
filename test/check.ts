/** `npm run check`: format, lint, types, generated files in sync. The architecture is checked by `npm test`, too. */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

const root = dirname(import.meta.dirname);
const steps: [string, string[]][] = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.']],
  ['generated files', ['packages/server/src/workers/generate.ts', '--check']],
  ['architecture', ['--test', 'test/architecture.test.ts']],
];
for (const [name, command] of steps) {
  process.stdout.write(`check: ${name}\n`);
  const run = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
