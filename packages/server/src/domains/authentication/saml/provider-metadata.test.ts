/** Trusted keys of metadata. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { selfSignedCertificate } from './encryption/certificate.ts';
import { MetadataError, readProvider } from './provider-metadata.ts';

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const [authority, signer, next] = [rsa(), rsa(), rsa()];
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const validity = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2060-01-01T00:00:00Z') };

/** Issues the certificate of a key by another key. */
const certificate = (publicKey: KeyObject, privateKey: KeyObject) =>
  selfSignedCertificate({ publicKey, privateKey }, 'Provider', validity);
const ca = certificate(authority.publicKey, authority.privateKey);
const own = certificate(signer.publicKey, signer.privateKey);
const renewed = certificate(signer.publicKey, signer.privateKey);
const issued = certificate(signer.publicKey, authority.privateKey);
const later = certificate(next.publicKey, next.privateKey);
const ofCurve = certificate(curve.publicKey, authority.privateKey);

/**
 * Lists the trusted certificates of metadata with these: one list for each key, one for each of its X509Data.
 */
function trusted(...keys: string[][][]): string[] {
  const base64 = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '');
  const descriptors = keys.map(
    (key) =>
      `<KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#">${key
        .map((data) => {
          const certificates = data.map((pem) => `<X509Certificate>${base64(pem)}</X509Certificate>`);
          return `<X509Data>${certificates.join('')}</X509Data>`;
        })
        .join('')}</KeyInfo></KeyDescriptor>`,
  );
  const document = `<EntityDescriptor entityID="e" xmlns="urn:oasis:names:tc:SAML:2.0:metadata"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${descriptors.join('')}<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://p.example/"/></IDPSSODescriptor></EntityDescriptor>`;
  return readProvider(Buffer.from(document)).certificates;
}

test('the certificate of the provider in a chain is trusted, not those of its issuers, in any order', () => {
  assert.deepEqual(trusted([[issued, ca]]), [issued]);
  assert.deepEqual(trusted([[ca, issued]]), [issued]);
  assert.throws(() => trusted([[ofCurve, ca]]), MetadataError, 'not because the other cannot be used');
});

test('several keys are trusted, together or apart, also one with two certificates', () => {
  assert.deepEqual(trusted([[own]], [[later]]), [own, later]);
  assert.deepEqual(trusted([[own], [later]]), [own, later]);
  assert.deepEqual(trusted([[own, later]]), [own, later]);
  assert.deepEqual(trusted([[own, renewed]]), [own, renewed]);
});

test('an unreadable certificate is skipped with its neighbours when another is usable', () => {
  assert.deepEqual(trusted([['AAAA']], [[own]]), [own]);
  assert.deepEqual(trusted([['']], [[ofCurve]], [[own]]), [own]);
  assert.deepEqual(trusted([['AAAA', ca]], [[own]]), [own], 'it may be what the other has issued');
  assert.throws(() => trusted([['AAAA', ca]]), /cannot be read/);
  assert.throws(() => trusted([['AAAA']]), /cannot be read/);
  assert.throws(() => trusted([[ofCurve]]), /elliptic curves/);
});

test('more keys than a provider has are refused: each is tried on untrusted input', () => {
  const many = (length: number) =>
    Array.from({ length }, () => certificate(signer.publicKey, signer.privateKey));
  assert.equal(trusted(...many(10).map((pem) => [[pem]])).length, 10);
  const refused = (error: unknown) =>
    error instanceof MetadataError && /too many certificates/.test(error.message);
  assert.throws(() => trusted(...many(11).map((pem) => [[pem]])), refused);
  assert.throws(() => trusted([[...many(11)]]), refused);
  const [one = ''] = many(1);
  assert.deepEqual(trusted([Array.from({ length: 50 }, () => one)]), [one]);
  assert.throws(() => trusted([Array.from({ length: 51 }, () => one)]), refused);
});
