/**
 * Signals with the launcher: on an older Node `bin/ploidy.js` starts the service in a process of its own
 * (docs/design/adr/0001). The two must end together.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { cleanEnvironment } from '../support/server.ts';
import { until } from '../support/until.ts';

const ploidy = join(import.meta.dirname, '../../bin/ploidy.js');
/** Replacement of the launcher: it starts the service with the same streams, and prints the same output. */
const launcher = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, [process.argv[1], 'serve'], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  child.on('exit', (code) => process.exit(code));`;

test('a service whose launcher was killed stops, and gives back its port and its folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-launcher-'));
  const settings = { PLOIDY_DATA_DIR: folder, PLOIDY_HOST: '127.0.0.1', PLOIDY_PORT: '0' };
  const child = spawn(process.execPath, ['-e', launcher, ploidy], {
    env: { ...cleanEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const address = await listening(child.stdout);
    assert.equal((await fetch(`${address}/healthz`)).status, 200);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    await until(() => isGone(`${address}/healthz`), 'nobody answers any more');
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('a service whose launcher is killed while it starts stops as soon as it has', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-launcher-'));
  const settings = { PLOIDY_DATA_DIR: folder, PLOIDY_HOST: '127.0.0.1', PLOIDY_PORT: '0' };
  const child = spawn(process.execPath, ['-e', `${launcher}console.log(child.pid);`, ploidy], {
    env: { ...cleanEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [pid] = await once(createInterface({ input: child.stdout }), 'line');
    child.kill('SIGKILL');
    await until(() => !isAlive(Number(pid)), 'the service has ended');
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('a service that npm started stops when its shell is gone, with or without a launcher between', async () => {
  const between = `import(${JSON.stringify(new URL('../../bin/end-with-npm.js', import.meta.url).href)});
    process.on('SIGTERM', () => child.kill('SIGTERM'));${launcher}`;
  for (const command of ['"$NODE" "$PLOIDY" serve; true', '"$NODE" -e "$LAUNCHER" "$PLOIDY"; true']) {
    const folder = mkdtempSync(join(tmpdir(), 'ploidy-launcher-'));
    const settings = { PLOIDY_DATA_DIR: folder, PLOIDY_HOST: '127.0.0.1', PLOIDY_PORT: '0' };
    const names = {
      NODE: process.execPath,
      PLOIDY: ploidy,
      LAUNCHER: between,
      npm_lifecycle_event: 'start',
    };
    const shell = spawn('sh', ['-c', command], {
      env: { ...cleanEnvironment(), ...settings, ...names },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    try {
      const address = await listening(shell.stdout);
      // npm passes SIGTERM to its shell, which dies alone.
      shell.kill('SIGTERM');
      await until(() => isGone(`${address}/healthz`), 'nobody answers any more');
    } finally {
      killGroup(shell.pid);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
});

/** Ends what is left of a process group; after a passed test nothing is. */
function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function listening(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, address] = /^Ploidy listens on (\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('the service did not start');
}

function isGone(address: string): Promise<boolean> {
  return fetch(address).then(
    () => false,
    () => true,
  );
}
