import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProvider } from '../provider-metadata.ts';
import { encrypted, encryptionFor } from '../tests/saml-encryption.fixture.ts';
import { makeKey, responseXml, rightFields, signed, TestProvider } from '../tests/saml-provider.fixture.ts';
import { readAssertion } from './assertion.ts';
import { readEnvelope, verifiedAssertion } from './envelope.ts';

const service = 'https://service.example';
const requestId = '_request';
const expected = { acsUrl: `${service}/v1/saml/acs`, requestId, entityId: `${service}/v1/saml/metadata` };
const identityProvider = new TestProvider();
const { key } = identityProvider;
const provider = readProvider(Buffer.from(identityProvider.metadata()));
const { certificate, privateKey } = makeKey();
const opening = { privateKeys: [privateKey], isFirst: async () => true };

function response(change = (xml: string) => xml): string {
  return change(responseXml(rightFields(identityProvider, service, requestId)));
}

function envelopeOf(xml: string) {
  return readEnvelope(Buffer.from(xml).toString('base64'), expected);
}

/** Returns the person of an accepted response; `undefined` on refusal. */
async function acceptedPerson(xml: string): Promise<string | undefined> {
  const assertion = await verifiedAssertion(envelopeOf(xml), provider, opening);
  if (assertion === undefined) return undefined;
  const wanted = { ...expected, audience: expected.entityId, entityId: provider.entityId, now: Date.now() };
  return readAssertion(assertion, wanted).nameId;
}

const extended = (content: string) => (xml: string) =>
  xml.replace('<samlp:Status>', `<samlp:Extensions>${content}</samlp:Extensions><samlp:Status>`);

test('a response with more than 1500 elements is refused before any signature; all possible groups of a user fit', async () => {
  const groups = (length: number) => (xml: string) => {
    const values = Array.from(
      { length },
      (_, number) => `<saml:AttributeValue>CN=group-${number}</saml:AttributeValue>`,
    );
    const attribute = `<saml:Attribute Name="groups">${values.join('')}</saml:Attribute>`;
    return xml.replace('</saml:AttributeStatement>', `${attribute}</saml:AttributeStatement>`);
  };
  const right = signed(response(groups(1015)), key);
  for (const xml of [right, signed(right, key, 'Response'), encrypted(right, encryptionFor(certificate))])
    assert.equal(await acceptedPerson(xml), 'person-1');
  const forged = signed(signed(response(), key), key, 'Response');
  for (const content of ['<a/>'.repeat(1500), '<a></a>'.repeat(1500)])
    assert.throws(() => envelopeOf(extended(content)(forged)), /too many elements/);
  const metadata = identityProvider.metadata();
  const extensions = `<md:Extensions>${'<a/>'.repeat(19_000)}</md:Extensions>`;
  assert.ok(
    readProvider(Buffer.from(metadata.replace('<md:IDPSSODescriptor', `${extensions}<md:IDPSSODescriptor`))),
  );
});

test('an encrypted assertion is read from the verified bytes, not from the received ones', async () => {
  // Each of these letters is four in canonical XML: the signed text is larger than the received one.
  const sent = (length: number) => {
    const unsigned = encrypted(signed(response(), key), encryptionFor(certificate));
    return signed(extended('>'.repeat(length))(unsigned), key, 'Response').replaceAll('&gt;', '>');
  };
  assert.equal(await acceptedPerson(sent(100_000)), 'person-1');
  assert.equal(await acceptedPerson(sent(150_000)), undefined);
});

test('declarations of an EncryptedAssertion apply where its text needs them, and are no signed content elsewhere', async () => {
  const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
  const declares = (declarations: string) => (xml: string) =>
    encrypted(xml, encryptionFor(certificate)).replace(
      '<saml:EncryptedAssertion>',
      `<saml:EncryptedAssertion ${declarations}>`,
    );
  const right = signed(response(), key, 'Assertion', undefined, inclusive);
  for (const declarations of ['xmlns:own="urn:own"', 'xmlns="urn:own"'])
    assert.equal(await acceptedPerson(declares(declarations)(right)), 'person-1');
  // The text uses prefixes that the response defines otherwise, or not at all.
  const saml = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  const typed = response((xml) =>
    xml.replace(saml, `${saml} ${xsi}`).replace('<saml:AttributeValue>', '<saml:AttributeValue xsi:nil="0">'),
  );
  for (const meaning of ['', ' xmlns:saml="urn:other"']) {
    const moved = declares(`${saml} ${xsi}`)(signed(typed, key))
      .replace(` ${saml} ${xsi} ID`, ` ${saml.replace('saml', 's')}${meaning} ID`)
      .replaceAll(/(<\/?)saml:/g, '$1s:');
    assert.equal(await acceptedPerson(moved), 'person-1', meaning);
  }
});
