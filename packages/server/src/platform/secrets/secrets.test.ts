import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openSecrets } from './master-key.ts';
import { secretsFrom } from './secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-secrets-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const secrets = secretsFrom(Buffer.alloc(32, 1));

test('a sealed text opens with its context and with no other', () => {
  const sealed = secrets.seal('tüples 🧬', 'user:1');
  assert.equal(secrets.open(sealed, 'user:1'), 'tüples 🧬');
  assert.throws(() => secrets.open(sealed, 'user:2'));
  assert.throws(() => secretsFrom(Buffer.alloc(32, 2)).open(sealed, 'user:1'));
  assert.equal(secrets.open(secrets.seal('', 'x'), 'x'), '');
});

// asvs: 11.3.3
test('a sealed text that was changed anywhere, cut or respelled does not open', () => {
  const sealed = secrets.seal('secret', 'c');
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.throws(() => secrets.open(changed.toString('base64url'), 'c'), `byte ${at}`);
    assert.throws(() => secrets.open(bytes.subarray(0, at).toString('base64url'), 'c'), `cut at ${at}`);
  }
  for (const text of ['', 'x', `${sealed}=`, `${sealed}!`, ` ${sealed}`, '💥'.repeat(100)]) {
    assert.throws(() => secrets.open(text, 'c'), JSON.stringify(text));
  }
});

test('a text sealed twice has different ciphertexts', () => {
  assert.notEqual(secrets.seal('a', 'c'), secrets.seal('a', 'c'));
});

test('derived keys differ by purpose and stay the same over restarts', () => {
  const path = join(folder, 'keys', 'master.key');
  const first = openSecrets({ path, create: true });
  const second = openSecrets({ path, create: true });
  assert.deepEqual(first.derive('a'), second.derive('a'));
  assert.notDeepEqual(first.derive('a'), first.derive('b'));
  assert.equal(second.open(first.seal('text', 'c'), 'c'), 'text');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'keys')).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(join(folder, 'keys')), ['master.key'], 'no temporary file is left');
});

// asvs: 13.3.1, 13.3.2
test('a key file that others may read, that is broken, or that is missing is refused without showing it', () => {
  const path = join(folder, 'given.key');
  assert.throws(() => openSecrets({ path, create: false }), /missing/);
  const key = Buffer.alloc(32, 7).toString('base64');
  writeFileSync(path, key, { mode: 0o600 });
  openSecrets({ path, create: false });
  chmodSync(path, 0o640);
  assert.throws(() => openSecrets({ path, create: true }), /mode to 0600/);
  chmodSync(path, 0o600);
  writeFileSync(path, key.slice(0, 20));
  assert.throws(
    () => openSecrets({ path, create: true }),
    (error: Error) => /32 random bytes/.test(error.message) && !error.message.includes(key.slice(0, 8)),
  );
  assert.equal(readFileSync(path, 'utf8'), key.slice(0, 20), 'and it is never replaced');
});
