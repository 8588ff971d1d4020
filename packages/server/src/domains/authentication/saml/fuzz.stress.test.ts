import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { generator, mutated, mutatedText } from '../../../../../../test/support/mutations.ts';
import { Problem } from '../../../base/problem.ts';
import { readAssertion } from './messages/assertion.ts';
import { type Opening, readEnvelope, verifiedAssertion } from './messages/envelope.ts';
import { MetadataError, readProvider } from './provider-metadata.ts';
import { encrypted, encryptionFor } from './tests/saml-encryption.fixture.ts';
import { makeKey, responseXml, rightFields, signed, TestProvider } from './tests/saml-provider.fixture.ts';

const service = 'https://service.example';
const requestId = '_request';
const expected = { acsUrl: `${service}/v1/saml/acs`, requestId, entityId: `${service}/v1/saml/metadata` };
const rounds = 1000;

test('mutated metadata give a provider or a reason, nothing else', () => {
  const random = generator(20260512);
  const metadata = Buffer.from(new TestProvider().metadata());
  let read = 0;
  for (let round = 0; round < rounds; round += 1) {
    try {
      const provider = readProvider((round % 2 === 0 ? mutatedText : mutated)(metadata, random));
      assert.ok(provider.entityId !== '' && provider.certificates.length > 0);
      read += 1;
    } catch (error) {
      assert.ok(error instanceof MetadataError && error.message !== '', `round ${round}: ${error}`);
    }
  }
  assert.ok(read > 0, 'none was read');
});

test('a certificate with an unreadable key is a metadata error, like an invalid certificate', () => {
  const identityProvider = new TestProvider();
  const metadata = identityProvider.metadata();
  const [, base64 = ''] = /<ds:X509Certificate>([^<]+)/.exec(metadata) ?? [];
  const certificate = Buffer.from(base64, 'base64');
  // Algorithm of the key, 1.2.840.113549.1.1.1, followed by the key.
  const algorithm = certificate.lastIndexOf(Buffer.from('2a864886f70d010101', 'hex'));
  certificate.fill(0, algorithm + 16, algorithm + 20);
  const damaged = metadata.replace(base64, certificate.toString('base64'));
  for (const document of [damaged, metadata.replace(base64, 'AAAA')]) {
    assert.throws(
      () => readProvider(Buffer.from(document)),
      new MetadataError('one of its certificates cannot be read'),
    );
  }
});

test('a mutated response is refused with a reason, or has the signed content', async () => {
  const sent = (right: string) => right;
  await believesWhatWasSigned({ seed: 20260513, sent, privateKeys: [] });
});

test('a mutated response with an encrypted assertion is refused or has the signed content', async () => {
  const { certificate, privateKey } = makeKey();
  const sent = (right: string) => encrypted(right, encryptionFor(certificate));
  await believesWhatWasSigned({ seed: 20260514, sent, privateKeys: [privateKey] });
});

test('nothing is decrypted before the signature of a response is verified', async () => {
  const identityProvider = new TestProvider();
  const provider = readProvider(Buffer.from(identityProvider.metadata()));
  const { certificate, privateKey } = makeKey();
  const right = signed(responseXml(rightFields(identityProvider, service, requestId)), identityProvider.key);
  for (const mode of ['gcm', 'cbc'] as const) {
    const sent = encrypted(right, encryptionFor(certificate, { mode }));
    const opened = async (by: typeof identityProvider.key): Promise<[boolean, number]> => {
      let asked = 0;
      const privateKeys: KeyObject[] = [];
      const get = () => {
        asked += 1;
        return privateKey;
      };
      Object.defineProperty(privateKeys, 0, { get });
      const envelope = readEnvelope(Buffer.from(signed(sent, by, 'Response')).toString('base64'), expected);
      return [(await verifiedAssertion(envelope, provider, openingOf(privateKeys))) !== undefined, asked];
    };
    assert.deepEqual(await opened(identityProvider.key), [true, 1], mode);
    assert.deepEqual(await opened(makeKey()), [false, 0], mode);
  }
});

function openingOf(privateKeys: readonly KeyObject[]): Opening {
  return { privateKeys, isFirst: async () => true };
}

async function believesWhatWasSigned({
  seed,
  sent: send,
  privateKeys,
}: {
  seed: number;
  sent: (right: string) => string;
  privateKeys: KeyObject[];
}): Promise<void> {
  const random = generator(seed);
  const identityProvider = new TestProvider();
  const provider = readProvider(Buffer.from(identityProvider.metadata()));
  const fields = rightFields(identityProvider, service, requestId);
  const xml = Buffer.from(send(signed(responseXml(fields), identityProvider.key)));
  const wanted = { ...expected, audience: expected.entityId, entityId: provider.entityId, now: Date.now() };
  const opening = openingOf(privateKeys);
  let believed = 0;
  for (let round = 0; round < rounds; round += 1) {
    const source = round === 0 ? xml : (round % 2 === 0 ? mutatedText : mutated)(xml, random);
    const field = source.toString('base64');
    const sent = round % 10 === 9 ? mutatedText(Buffer.from(field), random).toString('latin1') : field;
    try {
      const assertion = await verifiedAssertion(readEnvelope(sent, expected), provider, opening);
      if (assertion === undefined) continue;
      const { nameId, attributes } = readAssertion(assertion, wanted);
      assert.deepEqual([nameId, attributes['mail']], [fields.nameId, fields.attributes['mail']]);
      believed += 1;
    } catch (error) {
      assert.ok(error instanceof Problem && error.status < 500, `round ${round}: ${error}`);
      assert.ok(!error.message.includes(fields.nameId), error.message);
    }
  }
  assert.ok(believed > 0, 'not even the right one was believed');
}
