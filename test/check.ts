/**
 * `npm run check`: lists that must agree, architecture, documents, ceilings, requirements of ASVS, generated files, words,
 * format, lint and types. Fast steps run first, and all of them run, so that one run reports every failure. Words select the
 * steps with these words in their names: `npm run check -- lists words`.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';

const root = dirname(import.meta.dirname);
if (process.argv[2] === '--census') {
  const { status } = spawnSync(process.execPath, ['test/census.ts', ...process.argv.slice(3)], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}

/** Runs tests that need neither a service nor a store, and shows the failed ones only. */
const tests = (...files: string[]): string[] => ['--test', '--test-reporter=./test/failures.ts', ...files];
const inFolder = (folder: string): string[] => globSync(`${folder}/*.test.ts`, { cwd: root }).sort();

/** Keeps what it found beside the packages: a second run looks at changed files and their importers only. */
const types = (project: string): string[] => [
  ...['node_modules/typescript/bin/tsc', '--noEmit', '-p', project, '--incremental'],
  ...['--tsBuildInfoFile', `node_modules/.cache/types/${project.replaceAll('/', '-')}.tsbuildinfo`],
];

const steps: [string, string[]][] = [
  ['ceilings', ['test/census.ts', '--check']],
  ['table of ASVS', ['test/asvs/main.ts', '--check']],
  [
    'lists',
    tests(
      ...inFolder('test/lists'),
      'packages/formats/src/tables/tables.test.ts',
      ...['columns', 'generated'].map((name) => `packages/formats/src/fhir/maps/${name}.test.ts`),
    ),
  ],
  [
    'architecture',
    tests(
      'test/architecture.test.ts',
      'test/architecture/dangers.test.ts',
      'packages/server/src/app/maintenance/lost-work.test.ts',
    ),
  ],
  [
    'documents',
    tests(
      'test/claims/claims.test.ts',
      ...['behaviour', 'codes', 'commands', 'memory'].map((name) => `test/documentation/${name}.test.ts`),
    ),
  ],
  ['generated files', ['packages/server/src/admin/generate/generate.ts', '--check']],
  ['words', ['test/words/main.ts']],
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.']],
  ['types', types('tsconfig.json')],
  ['types of the packages', types('tsconfig.build.json')],
  ['types of the console', types('packages/console/tsconfig.json')],
];
const asked = process.argv.slice(2);
const unknown = asked.filter((word) => !steps.some(([name]) => name.includes(word)));
if (unknown.length > 0) {
  process.stderr.write(
    `check: no step has ${unknown.join(', ')} in its name. The steps: ${steps.map(([name]) => name).join(', ')}\n`,
  );
  process.exit(2);
}
const failed = steps
  .filter(([name]) => asked.length === 0 || asked.some((word) => name.includes(word)))
  .filter(([name, command]) => {
    process.stdout.write(`check: ${name}\n`);
    return spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' }).status !== 0;
  })
  .map(([name]) => name);
if (failed.length > 0) {
  const words = failed.map((name) => (/\s/.test(name) ? `"${name}"` : name));
  process.stderr.write(
    `check: failed: ${failed.join(', ')}\ncheck: again: npm run check -- ${words.join(' ')}\n`,
  );
  process.exitCode = 1;
}
