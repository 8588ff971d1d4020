import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encrypted, encryptionFor } from '../../../../../test/sign-in/saml-encryption.ts';
import {
  makeKey,
  responseXml,
  rightFields,
  signed,
  TestProvider,
} from '../../../../../test/sign-in/saml-provider.ts';
import { readAssertion } from './assertion.ts';
import { readEnvelope, verifiedAssertion } from './envelope.ts';
import { readProvider } from './provider-metadata.ts';

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

/** Who is let in with a response; `undefined`: nobody. */
async function letsIn(xml: string): Promise<string | undefined> {
  const assertion = await verifiedAssertion(envelopeOf(xml), provider, opening);
  if (assertion === undefined) return undefined;
  const wanted = { ...expected, audience: expected.entityId, entityId: provider.entityId, now: Date.now() };
  return readAssertion(assertion, wanted).nameId;
}

const extended = (content: string) => (xml: string) =>
  xml.replace('<samlp:Status>', `<samlp:Extensions>${content}</samlp:Extensions><samlp:Status>`);

test('a response with more than 1500 elements is refused before a signature is looked at; all groups that somebody can have fit', async () => {
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
    assert.equal(await letsIn(xml), 'person-1');
  const forged = signed(signed(response(), key), key, 'Response');
  for (const content of ['<a/>'.repeat(1500), '<a></a>'.repeat(1500)])
    assert.throws(() => envelopeOf(extended(content)(forged)), /too many elements/);
  const metadata = identityProvider.metadata();
  const extensions = `<md:Extensions>${'<a/>'.repeat(19_000)}</md:Extensions>`;
  assert.ok(
    readProvider(Buffer.from(metadata.replace('<md:IDPSSODescriptor', `${extensions}<md:IDPSSODescriptor`))),
  );
});

test('an encrypted assertion is read from the bytes that were verified, not from those that came', async () => {
  // Each of these letters is four in canonical XML: what was signed is larger than what is read.
  const sent = (length: number) => {
    const unsigned = encrypted(signed(response(), key), encryptionFor(certificate));
    return signed(extended('>'.repeat(length))(unsigned), key, 'Response').replaceAll('&gt;', '>');
  };
  assert.equal(await letsIn(sent(100_000)), 'person-1');
  assert.equal(await letsIn(sent(150_000)), undefined);
});

test('what an EncryptedAssertion declares counts where its text needs it, and is nothing that was signed where not', async () => {
  const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
  const declares = (declarations: string) => (xml: string) =>
    encrypted(xml, encryptionFor(certificate)).replace(
      '<saml:EncryptedAssertion>',
      `<saml:EncryptedAssertion ${declarations}>`,
    );
  const right = signed(response(), key, 'Assertion', undefined, inclusive);
  for (const declarations of ['xmlns:own="urn:own"', 'xmlns="urn:own"'])
    assert.equal(await letsIn(declares(declarations)(right)), 'person-1');
  // The text uses prefixes that the response gives another meaning, or none.
  const saml = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  const typed = response((xml) =>
    xml.replace(saml, `${saml} ${xsi}`).replace('<saml:AttributeValue>', '<saml:AttributeValue xsi:nil="0">'),
  );
  for (const meaning of ['', ' xmlns:saml="urn:other"']) {
    const moved = declares(`${saml} ${xsi}`)(signed(typed, key))
      .replace(` ${saml} ${xsi} ID`, ` ${saml.replace('saml', 's')}${meaning} ID`)
      .replaceAll(/(<\/?)saml:/g, '$1s:');
    assert.equal(await letsIn(moved), 'person-1', meaning);
  }
});
