import assert from 'node:assert/strict';
import { test } from 'node:test';
import { responseXml, rightFields, signed, TestProvider } from '../../../../../test/sign-in/saml-provider.ts';
import { generator, mutated, mutatedText } from '../../../../../test/support/mutations.ts';
import { Problem } from '../../problem.ts';
import { readAssertion } from './assertion.ts';
import { readEnvelope, verifiedAssertion } from './envelope.ts';
import { MetadataError, readProvider } from './provider-metadata.ts';

const service = 'https://service.example';
const requestId = '_request';
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

test('a certificate whose key cannot be read is a mistake of the metadata, as one that is none at all', () => {
  const identityProvider = new TestProvider();
  const metadata = identityProvider.metadata();
  const [, base64 = ''] = /<ds:X509Certificate>([^<]+)/.exec(metadata) ?? [];
  const certificate = Buffer.from(base64, 'base64');
  // The algorithm of the key, 1.2.840.113549.1.1.1; behind it the key.
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

test('a mutated answer of a provider is refused with a reason, or still says what was signed', async () => {
  const random = generator(20260513);
  const identityProvider = new TestProvider();
  const provider = readProvider(Buffer.from(identityProvider.metadata()));
  const fields = rightFields(identityProvider, service, requestId);
  const xml = Buffer.from(signed(responseXml(fields), identityProvider.key));
  const expected = { acsUrl: `${service}/v1/saml/acs`, requestId };
  const audience = `${service}/v1/saml/metadata`;
  const wanted = { ...expected, audience, entityId: provider.entityId, now: Date.now() };
  let believed = 0;
  for (let round = 0; round < rounds; round += 1) {
    const source = round === 0 ? xml : (round % 2 === 0 ? mutatedText : mutated)(xml, random);
    const field = source.toString('base64');
    const sent = round % 10 === 9 ? mutatedText(Buffer.from(field), random).toString('latin1') : field;
    try {
      const assertion = await verifiedAssertion(readEnvelope(sent, expected), provider);
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
});
