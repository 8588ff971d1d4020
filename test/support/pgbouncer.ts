import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { unprivilegedUser } from './postgres-binaries.ts';
import { until } from './until.ts';

const program = '/usr/sbin/pgbouncer';

/** Reason why tests with a pooler are skipped, or `false`. With `CI=true` they fail instead. */
export const pgbouncerSkip: string | false =
  existsSync(program) || process.env['CI'] === 'true'
    ? false
    : `There is no ${program}: apt-get install pgbouncer.`;

/** PgBouncer in front of a database; `url` is the address of the database through it. */
export interface Pooler {
  url: string;
  stop(): Promise<void>;
}

/** Starts a pooler that shares connections by session or by transaction. */
export async function startPooler(databaseUrl: string, mode: 'session' | 'transaction'): Promise<Pooler> {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const database = pathname.slice(1);
  const listenPort = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-pooler-'));
  writeFileSync(join(folder, 'users.txt'), `"${username}" ""\n`);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${database} = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
`,
  );
  chmodSync(folder, 0o755);
  const url = `postgres://${username}@127.0.0.1:${listenPort}/${database}`;
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? unprivilegedUser() : {};
  const child = spawn(program, [join(folder, 'pgbouncer.ini')], { ...user, stdio: 'ignore' });
  await until(() => answers(url), 'the pooler answers');
  return {
    url,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
