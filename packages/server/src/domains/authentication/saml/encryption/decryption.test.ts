import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  constants,
  createCipheriv,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { flipped } from '../tests/saml-encryption.fixture.ts';
import { type Ciphertext, type DataCipher, decrypt } from './decryption.ts';

const [ours, older, foreign] = Array.from({ length: 3 }, () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
) as [Pair, Pair, Pair];
type Pair = { publicKey: KeyObject; privateKey: KeyObject };
const text = Buffer.from('<saml:Assertion>é</saml:Assertion>');
const digests = ['sha1', 'sha256', 'sha384', 'sha512'];
const ciphers = ([128, 192, 256] as const).flatMap((keyBits) =>
  (['gcm', 'cbc'] as const).map((mode): DataCipher => ({ keyBits, mode })),
);

function wrap(key: Buffer, oaepHash = 'sha1', publicKey = ours.publicKey): Buffer {
  return publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, key);
}

/** Encrypts like a provider. `padded`: the text for CBC, with its padding. */
function ciphertextOf(cipher: DataCipher, padded = withPadding(text), oaepHash = 'sha1'): Ciphertext {
  const key = randomBytes(cipher.keyBits / 8);
  const wrapped = { cipher, wrappedKey: wrap(key, oaepHash), oaepHash };
  if (cipher.mode === 'gcm') {
    const iv = randomBytes(12);
    const made = createCipheriv(`aes-${cipher.keyBits}-gcm`, key, iv);
    return { ...wrapped, data: Buffer.concat([iv, made.update(text), made.final(), made.getAuthTag()]) };
  }
  const iv = randomBytes(16);
  const made = createCipheriv(`aes-${cipher.keyBits}-cbc`, key, iv).setAutoPadding(false);
  return { ...wrapped, data: Buffer.concat([iv, made.update(padded), made.final()]) };
}

function withPadding(bytes: Buffer, last = 16 - (bytes.length % 16)): Buffer {
  const padding = randomBytes(16 - (bytes.length % 16));
  padding.writeUInt8(last, padding.length - 1);
  return Buffer.concat([bytes, padding]);
}

test('ciphertexts of Node decrypt, with every cipher and every digest', () => {
  for (const cipher of ciphers)
    for (const digest of digests)
      assert.deepEqual(decrypt(ciphertextOf(cipher, undefined, digest), [ours.privateKey]), text);
});

test('keys wrapped by openssl open where both digests are the stated one, and no others', (context) => {
  const wrapOutside = opensslWrapper(context);
  const cipher = { keyBits: 256, mode: 'gcm' } as const;
  const key = randomBytes(32);
  const iv = randomBytes(12);
  const made = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([iv, made.update(text), made.final(), made.getAuthTag()]);
  for (const digest of digests)
    for (const mask of digests) {
      const wrappedKey = wrapOutside(key, digest, mask);
      for (const oaepHash of digests) {
        const opened = decrypt({ cipher, data, wrappedKey, oaepHash }, [ours.privateKey]);
        const fits = digest === oaepHash && mask === oaepHash;
        assert.deepEqual(opened, fits ? text : undefined, `${digest} ${mask} as ${oaepHash}`);
      }
    }
});

test('every private key is tried', () => {
  const ciphertext = ciphertextOf({ keyBits: 128, mode: 'gcm' });
  const { privateKey } = ours;
  for (const keys of [
    [older.privateKey, privateKey],
    [privateKey, older.privateKey],
  ])
    assert.deepEqual(decrypt(ciphertext, keys), text);
  assert.equal(decrypt(ciphertext, [older.privateKey, foreign.privateKey]), undefined);
  assert.equal(decrypt(ciphertext, []), undefined);
});

test('with GCM any changed byte is detected', () => {
  const ciphertext = ciphertextOf({ keyBits: 256, mode: 'gcm' });
  for (let at = 0; at < ciphertext.data.length; at += 1)
    assert.equal(
      decrypt({ ...ciphertext, data: flipped(at)(ciphertext.data) }, [ours.privateKey]),
      undefined,
    );
  for (let length = 0; length < ciphertext.data.length; length += 1)
    assert.equal(
      decrypt({ ...ciphertext, data: ciphertext.data.subarray(0, length) }, [ours.privateKey]),
      undefined,
    );
});

test('a wrapped key that was changed, or has another length, decrypts nothing', () => {
  for (const cipher of ciphers) {
    const ciphertext = ciphertextOf(cipher, withPadding(text));
    assert.deepEqual(decrypt(ciphertext, [ours.privateKey]), text);
    const { wrappedKey } = ciphertext;
    const short = wrap(randomBytes(cipher.keyBits / 8 - 1));
    for (const other of [
      flipped(0)(wrappedKey),
      flipped(-1)(wrappedKey),
      // Not from its front: one in 256 begins with a zero, and is the same number without it.
      wrappedKey.subarray(0, -1),
      short,
      text,
    ])
      assert.notDeepEqual(decrypt({ ...ciphertext, wrappedKey: other }, [ours.privateKey]), text);
  }
});

test('the padding of CBC is counted by its last byte, 1 to 16, whatever the others are; an invalid count is kept', () => {
  const cipher = { keyBits: 256, mode: 'cbc' } as const;
  const opened = (padded: Buffer) => decrypt(ciphertextOf(cipher, padded), [ours.privateKey]);
  for (let length = 0; length < 40; length += 1) {
    const bytes = randomBytes(length);
    assert.deepEqual(opened(withPadding(bytes)), bytes);
  }
  for (const last of [0, 17, 32, 255]) {
    const padded = withPadding(text, last);
    assert.deepEqual(opened(padded), padded, String(last));
  }
  const ciphertext = ciphertextOf(cipher);
  for (const data of [ciphertext.data.subarray(0, 16), ciphertext.data.subarray(1), Buffer.alloc(0)])
    assert.equal(decrypt({ ...ciphertext, data }, [ours.privateKey]), undefined);
});

/** Wraps a key by another program than Node. */
function opensslWrapper(context: TestContext): (key: Buffer, digest: string, mask: string) => Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-oaep-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'public.pem');
  writeFileSync(file, ours.publicKey.export({ type: 'spki', format: 'pem' }));
  return (key, digest, mask) => {
    const settings = [`rsa_padding_mode:oaep`, `rsa_oaep_md:${digest}`, `rsa_mgf1_md:${mask}`];
    const options = settings.flatMap((one) => ['-pkeyopt', one]);
    return execFileSync('openssl', ['pkeyutl', '-encrypt', '-pubin', '-inkey', file, ...options], {
      input: key,
    });
  };
}
