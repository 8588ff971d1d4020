/**
 * Runs every `*.test.ts` of the house with node's test runner, or those whose path holds one of the given words:
 * `npm test`, `npm test -- policy http`. One PostgreSQL serves all files, each with databases of its own.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { findPostgres } from './support/postgres-binaries.ts';
import { startServer } from './support/postgres-server.ts';

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
const run = spawnSync(
  process.execPath,
  ['--test', '--test-reporter=spec', `--test-concurrency=${availableParallelism()}`, ...flags, ...files],
  {
    cwd: root,
    stdio: 'inherit',
    // Half of a short test file is the reading of the house's code.
    env: {
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/ploidy'),
      ...process.env,
      ...(await database()),
    },
  },
);
process.exit(run.status ?? 1);

async function database(): Promise<Record<string, string>> {
  const binaries = findPostgres();
  if (process.env['PLOIDY_TEST_DATABASE_URL'] !== undefined || binaries === undefined) return {};
  return { PLOIDY_TEST_DATABASE_URL: await startServer(binaries) };
}
