import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { postgresSkip, startPrepared } from '../../../test/support/postgres.ts';
import { createApp } from './app.ts';
import { changedKeyWatch } from './changed-key.ts';
import { readConfig } from './config.ts';
import { closeCore, openCore } from './core.ts';
import { sealedSigningKeys } from './domains/keys/index.ts';
import { openLog } from './log.ts';
import { secretsFrom } from './platform/secrets/index.ts';

test('a service that was not seen when the master key was changed ends, and does not seal for nobody', {
  skip: postgresSkip,
}, async (context) => {
  const database = await startPrepared();
  context.after(() => database.stop());
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-changed-key-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { PLOIDY_DATA_DIR: folder, PLOIDY_PORT: '0', PLOIDY_IDLE_WORKERS: '0' };
  const config = readConfig({ ...settings, PLOIDY_DATABASE_URL: database.url });
  const log = openLog('silent');
  const app = await createApp(config, log);
  await app.start();
  const core = await openCore(config, log);
  const ends: string[] = [];
  const look = changedKeyWatch(core, ({ message }) => ends.push(message));
  await look();
  assert.deepEqual(ends, []);
  const older = [Buffer.from(readFileSync(join(folder, 'secrets/master.key'), 'utf8'), 'base64')];
  const changed = secretsFrom(Buffer.alloc(32, 7), { older });
  const rows = await core.records.read.selectFrom('signing_keys').selectAll().execute();
  await core.records.transact(async (tx) => {
    for (const { id, private_key_sealed: before } of rows) {
      const private_key_sealed = sealedSigningKeys.renew(changed, before, id);
      await tx.updateTable('signing_keys').set({ private_key_sealed }).where('id', '=', id).execute();
    }
  });
  await look();
  assert.match(ends.join(), /master key was changed/);
  await closeCore(core);
  assert.match((await app.failed).message, /master key was changed/);
  await app.stop();
});
