import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { importFrom, startChild } from '../../../../../test/support/child.ts';
import { lockDataFolder } from './lock-data-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-lock-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const child = `
  const { lockDataFolder } = ${importFrom('./lock-data-folder.ts', import.meta.url)};
  lockDataFolder(${JSON.stringify(folder)});
  process.send('locked');
`;

test('a second server on a data folder is refused until the first is gone, even if it was killed', async (context) => {
  const server = startChild(context, child);
  await server.message();
  assert.throws(() => lockDataFolder(folder), /Another server uses this data folder/);
  await server.kill();
  const lock = lockDataFolder(folder);
  assert.throws(() => lockDataFolder(folder), /Another server/, 'also within one process');
  lock.release();
  lock.release();
  lockDataFolder(folder).release();
  assert.equal(statSync(join(folder, 'server.lock')).mode & 0o777, 0o600);
});
