import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../../../../test/support/free-port.ts';
import { postgresSkip, startPostgres } from '../../../../../test/support/postgres.ts';
import { readConfig } from '../../config/config.ts';
import { openLog } from '../../platform/log/log.ts';
import { isUnfilled } from '../../platform/records/index.ts';
import { openCore } from '../core.ts';

/** Returns settings of a data folder that holds bytes, beside a database. */
function besideBytes(context: TestContext, databaseUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-lost-'));
  context.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'blobs/0a'), { recursive: true });
  writeFileSync(join(folder, 'blobs/0a/0a00000000000000000000000000000'), 'bytes');
  const config = readConfig({ PLOIDY_DATA_DIR: folder, PLOIDY_DATABASE_URL: databaseUrl });
  return { folder, open: () => openCore(config, openLog('silent')) };
}

test('a database named by mistake beside bytes is refused, and stays empty', {
  skip: postgresSkip,
}, async (context) => {
  const { url, stop } = await startPostgres();
  context.after(stop);
  const { folder, open } = besideBytes(context, url);
  await assert.rejects(open(), /The records are empty, .* or name the database of these bytes/);
  assert.equal(await isUnfilled({ folder, databaseUrl: url }), true);
  assert.deepEqual(readdirSync(folder), ['blobs']);
});

test('a database that does not answer is reported with its setting, beside bytes too', async (context) => {
  const { open } = besideBytes(context, `postgres://nobody@127.0.0.1:${await freePort()}/nothing`);
  await assert.rejects(open(), /The database of PLOIDY_DATABASE_URL cannot be used/);
});
