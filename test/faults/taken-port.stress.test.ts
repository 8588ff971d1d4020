/** Port of another program: the start reports it and leaves nothing behind. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockDataFolder } from '../../packages/server/src/platform/records/index.ts';
import { commandLine } from '../support/command-line.ts';

test('a start on a taken port ends with 1 and lets go of its data folder', {
  timeout: 60_000,
}, async (context) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const home = commandLine();
  const folder = join(home.home, 'data');
  const env = { PLOIDY_PORT: String((other.address() as AddressInfo).port), PLOIDY_DATA_DIR: folder };
  const { child, ended } = home.start(['serve'], { env });
  context.after(() => {
    child.kill('SIGKILL');
    other.close();
    home.remove();
  });
  const { code, err } = await ended;
  assert.match(err, /^Ploidy could not start: .*EADDRINUSE/m);
  assert.equal(code, 1);
  lockDataFolder(folder).release();
});
