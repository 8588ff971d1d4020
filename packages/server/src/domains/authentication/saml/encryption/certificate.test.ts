import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { selfSignedCertificate } from './certificate.ts';
import { bitString, integer, objectId, sequence, time, utf8String } from './der.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const validity = { from: new Date('2026-01-02T03:04:05Z'), to: new Date('2060-12-31T23:59:59Z') };

test('a certificate names itself, contains the key, and verifies with it', () => {
  const certificate = new X509Certificate(selfSignedCertificate(pair, 'Ploidy “SAML”', validity));
  assert.equal(certificate.subject, certificate.issuer);
  assert.ok(certificate.verify(pair.publicKey));
  assert.ok(certificate.checkPrivateKey(pair.privateKey));
  assert.equal(certificate.ca, false);
  assert.equal(certificate.validFromDate.getTime(), validity.from.getTime());
  assert.equal(certificate.validToDate.getTime(), validity.to.getTime());
});

test('openssl parses it as intended, and verifies it as self-signed', () => {
  const pem = selfSignedCertificate(pair, 'Ploidy SAML', validity);
  const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: pem }).toString();
  for (const part of [
    'Version: 3 (0x2)',
    'Signature Algorithm: sha256WithRSAEncryption',
    'Issuer: CN = Ploidy SAML',
    'Not Before: Jan  2 03:04:05 2026 GMT',
    'Not After : Dec 31 23:59:59 2060 GMT',
    'CA:FALSE',
    'Digital Signature',
  ])
    assert.ok(text.replace('CN=', 'CN = ').includes(part), `${part} in ${text}`);
});

test('a certificate of an encryption key permits encryption only', () => {
  const pem = selfSignedCertificate(pair, 'Ploidy SAML', validity, 'encryption');
  const text = execFileSync('openssl', ['x509', '-noout', '-ext', 'keyUsage'], { input: pem }).toString();
  assert.match(text, /^X509v3 Key Usage: critical\s+Key Encipherment\s*$/);
});

test('lengths, numbers and identifiers are encoded as in X.690', () => {
  const hex = (bytes: Buffer): string => bytes.toString('hex');
  assert.equal(hex(integer(0n)), '020100');
  assert.equal(hex(integer(127n)), '02017f');
  assert.equal(hex(integer(128n)), '02020080');
  assert.equal(hex(integer(65_537n)), '0203010001');
  assert.equal(hex(objectId('1.2.840.113549.1.1.11')), '06092a864886f70d01010b');
  assert.equal(hex(bitString(Buffer.of(0x80), 7)), '03020780');
  assert.equal(hex(utf8String('é')), '0c02c3a9');
  assert.equal(hex(sequence(Buffer.alloc(200))).slice(0, 6), '3081c8');
  assert.equal(hex(sequence(Buffer.alloc(300))).slice(0, 8), '3082012c');
  assert.equal(time(new Date('2049-12-31T23:59:59.999Z')).toString('latin1').slice(2), '491231235959Z');
  assert.equal(time(new Date('2050-01-01T00:00:00Z')).toString('latin1').slice(2), '20500101000000Z');
});
