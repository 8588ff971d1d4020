import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { silent } from '../../../../test/support/records.ts';
import { openCore } from '../app/core.ts';
import { readConfig } from '../config/config.ts';
import { openLog } from '../platform/log/log.ts';
import { openRecords } from '../platform/records/index.ts';
import { understand } from './admin-arguments.ts';
import { runAdmin } from './admin-command.ts';

test('a wrong command line is reported in a sentence that names the fault', () => {
  for (const [words, sentence] of [
    ['', 'Name a command.'],
    ['x y', 'There is no command "ploidy admin x y".'],
    ['users', 'There is no command "ploidy admin users".'],
    ['users add', '"ploidy admin users add" needs --email and --account.'],
    ['users add --email', "Option '--email <value>' argument missing."],
    ['users sign-out --email a@b.test', '"ploidy admin users sign-out" needs --user.'],
    ['verify-audit --account main', '"ploidy admin verify-audit" takes no --account.'],
    ['verify-audit --acount main', "Unknown option '--acount'."],
    ['restore a b', '"ploidy admin restore" takes one place.'],
    ['backup ls a b', '"ploidy admin backup ls" takes one place.'],
    ['backup prune a', '"ploidy admin backup prune" needs --keep.'],
    ['backup a --keep 0', '--keep is "0"; it should be a whole number from 1 to 10000.'],
    ['restore a --at noon', '--at is "noon"; it should be like 2026-11-28 or 2026-11-28T02:30:00Z.'],
    ['backup a --key b', '"ploidy admin backup" takes no --key.'],
    [
      'keys add --user a --account b --days 999',
      '--days is "999"; it should be a whole number from 1 to 365.',
    ],
  ] as const) {
    assert.equal(understand(words.split(' ').filter((word) => word !== '')), sentence);
  }
});

test('a folder without a service is refused by each command, and stays as it was', async (context) => {
  const root = mkdtempSync(join(tmpdir(), 'ploidy-refused-'));
  context.after(() => rmSync(root, { recursive: true }));
  const config = readConfig({ PLOIDY_DATA_DIR: join(root, 'nothing') });
  for (const words of ['verify-audit', 'verify-lake', 'rotate-key', `backup ${join(root, 'backup')}`]) {
    let said = '';
    const stream = { write: (text: string) => (said += text) };
    const code = await runAdmin(config, words.split(' '), { stdout: stream, stderr: stream });
    assert.equal(code, 1, words);
    assert.match(said, /^There is no service in .*nothing: set PLOIDY_DATA_DIR /, words);
  }
  assert.deepEqual(readdirSync(root), []);
});

test('a lost master key is reported, and no other is made beside the records', async (context) => {
  const root = mkdtempSync(join(tmpdir(), 'ploidy-refused-'));
  context.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'secrets'));
  writeFileSync(join(root, 'records.sqlite'), '');
  let said = '';
  const stream = { write: (text: string) => (said += text) };
  const config = readConfig({ PLOIDY_DATA_DIR: root });
  assert.equal(await runAdmin(config, ['verify-audit'], { stdout: stream, stderr: stream }), 1);
  assert.match(said, /^The master key file .*master\.key is missing: restore it/);
  assert.deepEqual(readdirSync(join(root, 'secrets')), []);
});

test('bytes without their records are refused by the service and each command, and stay as they were', async (context) => {
  const root = mkdtempSync(join(tmpdir(), 'ploidy-refused-'));
  context.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'blobs/0a'), { recursive: true });
  writeFileSync(join(root, 'blobs/0a/0a00000000000000000000000000000'), 'bytes');
  const config = readConfig({ PLOIDY_DATA_DIR: root, PLOIDY_PORT: '0' });
  const sentence = /^(?:Error: )?The records are empty, and .* holds the bytes of others: restore a backup/;
  const refused = async (): Promise<void> => {
    await assert.rejects(openCore(config, openLog('silent')), sentence);
    for (const words of [
      'verify-audit',
      'doctor',
      'rotate-key',
      'users add --email a@b.test --account main',
    ]) {
      let said = '';
      const stream = { write: (text: string) => (said += text) };
      assert.equal(await runAdmin(config, words.split(' '), { stdout: stream, stderr: stream }), 1, words);
      assert.match(said, sentence, words);
    }
  };
  await refused();
  assert.deepEqual(readdirSync(root), ['blobs']);
  const made = await openRecords({ folder: root, log: silent });
  await made.close();
  mkdirSync(join(root, 'secrets'));
  writeFileSync(join(root, 'secrets/master.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  await refused();
});
