/** A terminal that is closed while the service runs in it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer } from '../support/server.ts';

test('a hang-up stops the service in order', async (context) => {
  const { process: running, folder } = await startServer();
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const exit = once(running, 'exit');
  running.kill('SIGHUP');
  assert.deepEqual(await exit, [0, null]);
  assert.match(readFileSync(join(folder, 'server.log'), 'utf8'), /"signal":"SIGHUP".*stopping/);
});
