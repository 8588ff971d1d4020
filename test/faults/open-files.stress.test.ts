/** System that lets a process open few files: the service refuses connections with a message, not the system. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanEnvironment } from '../support/server.ts';
import { until } from '../support/until.ts';

const ploidy = join(import.meta.dirname, '../../bin/ploidy.js');

test('with few open files fewer connections are kept; the start warns, and what is refused is counted', {
  skip: process.platform !== 'linux' && 'elsewhere the limit is not known',
  timeout: 60_000,
}, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-files-'));
  const settings = { PLOIDY_DATA_DIR: folder, PLOIDY_PORT: '0', PLOIDY_IDLE_WORKERS: '0' };
  const child = spawn('sh', ['-c', 'ulimit -n 500 && exec "$0" "$1" serve', process.execPath, ploidy], {
    env: { ...cleanEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  context.after(async () => {
    child.kill();
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (said += chunk));
  await until(() => /^Ploidy listens on /m.test(said), 'a service that listens');
  assert.match(said, /"filesMax":500,"filesWanted":10300,"connectionsMax":100,/);
  const address = new URL(/^Ploidy listens on (\S+)/m.exec(said)?.[1] ?? '');
  const sockets = Array.from({ length: 130 }, () => connect(Number(address.port), address.hostname));
  let ended = 0;
  for (const socket of sockets) socket.on('error', () => undefined).once('close', () => ended++);
  await until(() => ended === 30, 'thirty that are refused');
  for (const socket of sockets) socket.destroy();
  const metrics = async () => (await fetch(`${address.origin}/metrics`)).text();
  await until(async () => /refused_total 3\d$/m.test(await metrics().catch(() => '')), 'their number');
  assert.match(said, /more are refused/);
});
