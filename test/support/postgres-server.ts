import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { preparePostgres } from './postgres-binaries.ts';

/** An ICU locale on purpose: text that was not asked to sort by code point sorts differently, and a test can see it. */
const initdbFlags =
  '--no-sync --username=postgres --auth=trust --encoding=UTF8 --locale=C --locale-provider=icu --icu-locale=en-US';

const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  unix_socket_directories: '',
  listen_addresses: '127.0.0.1',
  shared_buffers: '32MB',
  max_connections: '300',
  jit: 'off',
};

/**
 * Ends the server and removes its files when our end of its standard input closes: when the tests end, or are killed. Before that,
 * a line stops it, as a crash would, or starts it again.
 */
const keeperScript = `
folder="$1"; copy="$2"; shift 2
start() { "$@" >>"$folder/log" 2>&1 & }
stop() { kill -QUIT $!; wait $!; }
start "$@"
while read -r order; do case "$order" in stop) stop ;; start) start "$@" ;; esac; done
stop
rm -rf "$folder" "$copy"
`;

/** A server that a test may stop. */
export interface OwnServer {
  /** Without a database. */
  url: string;
  /** Ends at once, without a word to its clients (an immediate shutdown). */
  stop(): Promise<void>;
  /** Starts again on the same data. */
  start(): Promise<void>;
}

/**
 * Starts a server of this process's own on a free port of 127.0.0.1; it ends with the process. Answers its URL without a database.
 * `more`: settings for one that does real work.
 */
export async function startServer(bin: string, more: Record<string, string> = {}): Promise<string> {
  return (await startOwnServer(bin, more)).url;
}

export async function startOwnServer(bin: string, more: Record<string, string> = {}): Promise<OwnServer> {
  const { user, copy, ...binaries } = preparePostgres(bin);
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-postgres-'));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const as = { ...user, cwd: folder };
  execFileSync(join(binaries.bin, 'initdb'), ['-D', data, ...initdbFlags.split(' ')], {
    ...as,
    stdio: 'pipe',
  });
  const port = await freePort();
  const flags = Object.entries({ ...settings, ...more }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const server = [join(binaries.bin, 'postgres'), '-D', data, '-p', String(port), ...flags];
  const keeper = spawn('/bin/sh', ['-c', keeperScript, 'keeper', folder, copy ?? '', ...server], {
    ...as,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  keeper.unref();
  if ('unref' in keeper.stdin && typeof keeper.stdin.unref === 'function') keeper.stdin.unref();
  const url = `postgres://postgres@127.0.0.1:${port}`;
  const ready = () => untilReady(url, () => readFileSync(join(folder, 'log'), 'utf8'));
  await ready();
  return {
    url,
    stop: async () => {
      keeper.stdin.write('stop\n');
      while (existsSync(join(data, 'postmaster.pid'))) await delay(25);
    },
    start: async () => {
      keeper.stdin.write('start\n');
      await ready();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

async function untilReady(url: string, log: () => string): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    const client = new pg.Client({ connectionString: `${url}/postgres` });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw new Error(`PostgreSQL did not start: ${log()}`, { cause: error });
      await delay(25);
    }
  }
}
