import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeOnPostgres } from '../../../../../test/support/app.ts';
import { readConfig } from '../../config/config.ts';
import { sealedSigningKeys } from '../../domains/authentication/keys/index.ts';
import { openLog } from '../../platform/log/log.ts';
import { secretsFrom } from '../../platform/secrets/index.ts';
import { closeCore, openCore } from '../core.ts';
import { changedKeyWatch } from './changed-key.ts';

describeOnPostgres('service whose master key was changed', (app) => {
  test('a service that missed a change of the master key ends, without sealing with the old key', async () => {
    const core = await openCore(readConfig(app.settings), openLog('silent'));
    const ends: string[] = [];
    const look = changedKeyWatch(core, ({ message }) => ends.push(message));
    await look();
    assert.deepEqual(ends, []);
    const older = [Buffer.from(readFileSync(join(app.folder, 'secrets/master.key'), 'utf8'), 'base64')];
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
    assert.match((await app.app.failed).message, /master key was changed/);
  });
});
