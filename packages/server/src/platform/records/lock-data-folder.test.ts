import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockDataFolder } from './lock-data-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-lock-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const child = `
  const { lockDataFolder } = await import(${JSON.stringify(new URL('./lock-data-folder.ts', import.meta.url).href)});
  lockDataFolder(${JSON.stringify(folder)});
  process.send('locked');
  setInterval(() => {}, 1000);
`;

test('a second server on a data folder is refused until the first is gone, even if it was killed', async () => {
  const server = spawn(process.execPath, ['--input-type=module', '-e', child], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(server, 'message');
  assert.throws(() => lockDataFolder(folder), /Another server uses this data folder/);
  server.kill('SIGKILL');
  await once(server, 'exit');
  const lock = lockDataFolder(folder);
  assert.throws(() => lockDataFolder(folder), /Another server/, 'also within one process');
  lock.release();
  lock.release();
  lockDataFolder(folder).release();
  assert.equal(statSync(join(folder, 'server.lock')).mode & 0o777, 0o600);
});
