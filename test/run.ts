/**
 * Runs the tests with Node's test runner. `npm test`: every `*.test.ts`, records on SQLite. `npm run test:stress`: every
 * `*.stress.test.ts`, and records on PostgreSQL (adr/0016), where one server serves all files, each with databases of its own. Words
 * select files by path: `npm test -- policy http`. `--failed` selects the files that failed in the last run, and runs one at a
 * time: on a busy machine some tests fail beside others.
 */
import '../bin/end-with-npm.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openRecords } from '../packages/server/src/platform/records/index.ts';
import { batchesOf, type Selection } from './support/batches.ts';
import { run as runOn, withDatabase } from './support/postgres.ts';
import { findPostgres } from './support/postgres-binaries.ts';
import { startServer } from './support/postgres-server.ts';
import { silent } from './support/records.ts';

/** Minimum free bytes for a disk in memory, and the number of its kind of file system (statfs(2)). */
const memoryWanted = 12 * 1024 ** 3;
const tmpfs = 0x01021994;

/** Settings for databases that live for seconds: no vacuum, no replication. */
const quick = { autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0' };

const root = dirname(import.meta.dirname);
const [kind, ...rest] = process.argv.slice(2);
const words = rest.filter((argument) => !argument.startsWith('-'));
const isRepeated = rest.includes('--failed');
const flags = rest.filter((argument) => argument.startsWith('-') && argument !== '--failed');
const failedFile = join(cacheFolder(), `${kind}-failed.json`);
const failed: string[] =
  isRepeated && existsSync(failedFile) ? JSON.parse(readFileSync(failedFile, 'utf8')) : [];
const isStress = kind === 'stress';
const tests = testFiles().filter((file) => !file.endsWith('.stress.test.ts'));
const selections: Selection[] = isStress
  ? [
      { files: testFiles().filter((file) => !tests.includes(file)) },
      { files: tests.filter(needsRecords), store: 'postgres' },
    ]
  : [{ files: tests, store: 'sqlite' }];
/** More failures than these are no matter of chance. */
const repeatedMax = 40;
if (failed.length > repeatedMax) {
  process.stderr.write(`${failed.length} files failed: mend them before you repeat them.\n`);
  process.exit(2);
}
if (selections.every(({ files }) => files.length === 0)) {
  process.stderr.write(
    isRepeated ? 'No file failed in the last run.\n' : `No file matches ${words.join(' ')}\n`,
  );
  process.exit(2);
}
process.env['TMPDIR'] ??= roomInMemory() ?? tmpdir();
/** Test files wait a fifth of their time, stress tests more: for killed processes, expiring leases, retried mails. */
const atOnce = isRepeated ? 1 : availableParallelism() + (isStress ? 2 : 1);
/** Milliseconds after which a test fails, and after which the whole run ends; the runner then names what still ran. */
const testMaxMs = 10 * 60_000;
const runMaxMs = (isStress ? 60 : 40) * 60_000;
const batches = mkdtempSync(join(tmpdir(), 'ploidy-test-'));
const runner = spawn(
  process.execPath,
  [
    // MB below which the garbage of a process of tests is not collected: it took a sixth of its time.
    '--initial-heap-size=512',
    '--test',
    `--test-reporter=${new URL('support/report.ts', import.meta.url)}`,
    '--test-reporter-destination=stdout',
    `--test-concurrency=${atOnce}`,
    `--test-timeout=${testMaxMs}`,
    ...flags,
    ...batchesOf(root, selections, batches),
  ],
  {
    cwd: root,
    stdio: 'inherit',
    // Half of a short test file is the reading of the house's code.
    env: {
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/ploidy'),
      PLOIDY_TEST_TIMES: join(batches, 'times'),
      ...process.env,
      ...(isStress && (await database())),
      PLOIDY_TEST_RECORDS: await prepareRecords(batches),
      PLOIDY_TEST_FILES: JSON.stringify(selections.flatMap(({ files }) => files)),
      PLOIDY_TEST_DURATIONS: join(cacheFolder(), `${kind}-durations.json`),
      PLOIDY_TEST_FAILED: failedFile,
      // A filter by the names of tests leaves files out.
      ...(flags.length === 0 && { PLOIDY_TEST_ENDS: 'all' }),
      ...(words.length === 0 && !isRepeated && { PLOIDY_TEST_CEILING: `${kind}ProcessorSeconds` }),
    },
  },
);
const timer = setTimeout(() => runner.kill('SIGTERM'), runMaxMs);
// The runner ends its tests, and they their processes; without this a killed run would go on alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => runner.kill(signal));
const [code] = await once(runner, 'exit');
clearTimeout(timer);
rmSync(batches, { recursive: true, force: true });
process.exit(code ?? 1);

/** Returns the folder of the results for the next run: how long each file took, and which failed. */
function cacheFolder(): string {
  const folder = join(root, 'node_modules/.cache/ploidy');
  mkdirSync(folder, { recursive: true });
  return folder;
}

function testFiles(): string[] {
  const patterns = ['packages/*/src', 'samples', 'test'].map((folder) => `${folder}/**/*.test.ts`);
  return globSync(patterns, { cwd: root })
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .filter((file) => !isRepeated || failed.includes(file))
    .sort();
}

/** Reports whether a file has tests of records or of whole services, which run on either store. */
function needsRecords(file: string): boolean {
  return /\b(?:describe(?:App|OnPostgres)|testOn(?:(?:No)?Records|Dialect))\(/.test(
    readFileSync(join(root, file), 'utf8'),
  );
}

/**
 * Folder in memory, where the system has one with room for the output of the tests: a commit to a disk takes a millisecond, and
 * there are tens of thousands. No test can observe the disk: a killed process loses nothing in the system's memory.
 */
function roomInMemory(): string | undefined {
  const folder = '/dev/shm';
  if (process.platform !== 'linux' || !existsSync(folder)) return undefined;
  const { type, bavail, bsize } = statfsSync(folder);
  const roomy = Math.min(bavail * bsize, process.availableMemory()) > memoryWanted;
  return type === tmpfs && roomy ? folder : undefined;
}

async function database(): Promise<Record<string, string>> {
  const binaries = findPostgres();
  if (process.env['PLOIDY_TEST_DATABASE_URL'] !== undefined || binaries === undefined) return {};
  const url = await startServer(binaries, quick);
  return { PLOIDY_TEST_DATABASE_URL: url, PLOIDY_TEST_TEMPLATE: await prepare(url) };
}

/** Makes empty records in a file, to be copied. Returns its path. */
async function prepareRecords(folder: string): Promise<string> {
  const records = await openRecords({ folder, log: silent });
  await records.close();
  return join(folder, 'records.sqlite');
}

/** Makes a database with the schema of this version, to be copied. Returns its name. */
async function prepare(url: string): Promise<string> {
  const name = 'ploidy_prepared';
  await runOn(url, `create database ${name}`);
  const databaseUrl = withDatabase(url, name);
  const records = await openRecords({ folder: '', databaseUrl, connectionsMax: 2, log: silent });
  await records.close();
  return name;
}
