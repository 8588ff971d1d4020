import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { ecKey, rsaKey } from './key-pairs.fixture.ts';
import { readSigningKey } from './signing-key.ts';

const jwkOf = (key: ReturnType<typeof rsaKey>, more: object = {}) =>
  JSON.stringify({ ...key.privateKey.export({ format: 'jwk' }), ...more });

test('PEM (PKCS#8, PKCS#1, SEC1) and JWK keys of RSA and P-384 are accepted, and only their public half is shown', async () => {
  for (const [key, alg] of [
    [rsaKey(), 'RS384'],
    [ecKey(), 'ES384'],
  ] as const)
    for (const text of [
      key.pem,
      key.pem.replaceAll('\n', '\r\n'),
      String(key.privateKey.export({ type: alg === 'RS384' ? 'pkcs1' : 'sec1', format: 'pem' })),
      jwkOf(key),
      `\n${jwkOf(key)}\n`,
    ]) {
      const read = readSigningKey(text);
      assert.ok(typeof read === 'object', String(read));
      const bare = key.publicKey.export({ format: 'jwk' });
      const kid = await calculateJwkThumbprint(bare as never);
      assert.deepEqual(read.publicJwk, { ...bare, kid, use: 'sig', alg });
    }
});

test('a JWK keeps its kid', () => {
  const read = readSigningKey(jwkOf(ecKey(), { kid: 'spring-2026', alg: 'ES384', use: 'sig' }));
  assert.ok(typeof read === 'object');
  assert.equal(read.publicJwk.kid, 'spring-2026');
});

test('an unusable key is described without revealing any of it', () => {
  const [rsa, ec] = [rsaKey(), ecKey()];
  const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
  const locked = rsa.privateKey.export({ ...pkcs8, cipher: 'aes-256-cbc', passphrase: 'word' });
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export(pkcs8);
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pkcs8);
  const edwards = generateKeyPairSync('ed25519').privateKey.export(pkcs8);
  const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' });
  const set = JSON.stringify({ keys: [ec.privateKey.export({ format: 'jwk' })] });
  for (const [text, words] of [
    ['a password', /^must be a private key that is not encrypted/],
    ['{"kty":', /^must be a private key/],
    [set, /one JWK/],
    [String(locked), /not encrypted/],
    [String(publicPem), /^must be a private key/],
    [JSON.stringify(ec.publicKey.export({ format: 'jwk' })), /with its private part/],
    [String(small), /2048 bits or more/],
    [String(curve), /P-384/],
    [String(edwards), /P-384/],
    [jwkOf(rsa, { e: 'Aw' }), /do not belong together/],
    [jwkOf(rsa, { p: undefined, qi: undefined }), /must be whole: the JWK of an RSA key has p, q/],
    [jwkOf(rsa, { alg: 'RS256' }), /must be a key for RS384/],
    [jwkOf(ec, { use: 'enc' }), /a key that signs/],
    [jwkOf(ec, { key_ops: ['verify'] }), /a key that signs/],
    [jwkOf(ec, { kid: 7 }), /kid/],
    [jwkOf(ec, { kid: 'ü' }), /kid/],
  ] as const) {
    const error = readSigningKey(text);
    assert.ok(typeof error === 'string', text);
    assert.match(error, words);
    assert.ok(error.length < 120);
  }
});
