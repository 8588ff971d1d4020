import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeApp } from '../../../test/support/app.ts';
import { cleanEnvironment } from '../../../test/support/server.ts';

const ploidy = join(import.meta.dirname, '../../../bin/ploidy.js');

describeApp('ploidy admin', (app) => {
  const admin = (...words: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      const env = { ...cleanEnvironment(), ...app.settings };
      execFile(process.execPath, [ploidy, 'admin', ...words], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });

  test('makes accounts, users and keys beside the running service, which knows them at once', async () => {
    const account = await admin(
      'accounts',
      'add',
      '--name',
      'Ward 7',
      '--owner',
      'chief@ward7.test',
      '--json',
    );
    assert.equal(JSON.parse(account.out).id, 'ward-7');
    const user = await admin('users', 'add', '--email', 'Ann@Ward7.test', '--account', 'ward-7', '--json');
    assert.match(JSON.parse(user.out).signInUrl, /\/v1\/set-up\/password\?token=/);
    const key = await admin('keys', 'add', '--user', 'ann@ward7.test', '--account', 'ward-7', '--json');
    const request = { key: JSON.parse(key.out).key, account: 'ward-7' };
    assert.equal((await app.call('GET', '/v1/projects', request)).status, 200);
    assert.equal((await app.call('POST', '/v1/projects', { ...request, body: { name: 'x' } })).status, 403);
  });

  test('says what is wrong, with an exit code for scripts', async () => {
    assert.equal((await admin('keys', 'add', '--user', 'nobody@x', '--account', 'main')).code, 1);
    const stranger = await admin('keys', 'add', '--user', 'admin@localhost', '--account', 'nosuch');
    assert.deepEqual([stranger.code, /is no member/.test(stranger.err)], [1, true]);
    for (const words of [
      [],
      ['users', 'add'],
      ['keys', 'add', '--user', 'a', '--account', 'b', '--days', '999'],
      ['x'],
    ]) {
      const { code, err } = await admin(...words);
      assert.deepEqual([code, err.startsWith('ploidy admin accounts add')], [2, true]);
    }
  });

  test('verifies the audit chain', async () => {
    const { code, out } = await admin('verify-audit');
    assert.equal(code, 0);
    assert.match(out, /^main: \d+ events, whole$/m);
  });
});
