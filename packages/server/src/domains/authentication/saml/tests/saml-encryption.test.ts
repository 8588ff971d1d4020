/** Accepted encrypted assertions, and their validity. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { closeCore, openCore } from '../../../../app/core.ts';
import { readConfig } from '../../../../config/config.ts';
import { openLog } from '../../../../platform/log/log.ts';
import { SamlKeys } from '../encryption/keys.ts';
import { type Begun, codeOf, post } from './saml-browser.fixture.ts';
import { EncryptingProvider } from './saml-encrypting-provider.fixture.ts';
import { encrypted, encryptionCertificate, encryptionFor } from './saml-encryption.fixture.ts';
import { makeKey, responseXml, rightFields, signed } from './saml-provider.fixture.ts';

const dayMs = 86_400_000;

describeApp(
  'encrypted SAML assertions',
  (app) => {
    let idp: EncryptingProvider;
    before(async () => {
      idp = await EncryptingProvider.open(app);
    });
    after(() => idp.close());

    test('before a key is published, an encrypted assertion is refused with the address of the metadata', async () => {
      idp.certificate = makeKey().certificate;
      await idp.refusesWith(
        (begun) => idp.answerTo(begun),
        ['SAML_ENCRYPTED', '/v1/saml/metadata?encryption=true'],
      );
      idp.certificate = await encryptionCertificate(app);
    });

    test('every accepted method works, with the key inside the data or beside them', async () => {
      for (const keyBits of [128, 192, 256] as const)
        for (const layout of ['inside', 'beside'] as const) {
          const begun = await idp.begin();
          codeOf(await idp.end(begun, idp.answerTo(begun, { keyBits, layout })));
        }
      for (const oaepHash of ['sha1', 'sha256', 'sha384', 'sha512'] as const) {
        const begun = await idp.begin();
        codeOf(await idp.end(begun, idp.answerTo(begun, { oaepHash })));
      }
      for (const change of [
        (sent: string) => sent,
        // ADFS names SHA-1 explicitly.
        (sent: string) =>
          sent.replace(
            'rsa-oaep-mgf1p"/>',
            'rsa-oaep-mgf1p"><DigestMethod xmlns="http://www.w3.org/2000/09/xmldsig#" Algorithm="http://www.w3.org/2000/09/xmldsig#sha1"/></xenc:EncryptionMethod>',
          ),
        (sent: string) => sent.replace(/(<xenc:CipherValue>.{64})/g, '$1&#13;\n'),
      ]) {
        const begun = await idp.begin();
        codeOf(await idp.end(begun, change(idp.answerTo(begun))));
      }
      const indented = { change: { text: (text: string) => `\n  ${text}\n` } };
      for (const signs of [true, false]) {
        const begun = await idp.begin();
        codeOf(await idp.end(begun, idp.answerTo(begun, indented, signs)));
      }
    });

    test('AES-CBC is opened only in a signed response', async () => {
      for (const keyBits of [128, 192, 256] as const) {
        const begun = await idp.begin();
        codeOf(await idp.end(begun, idp.answerTo(begun, { mode: 'cbc', keyBits }, true)));
        await idp.refusesWith(
          (other) => idp.answerTo(other, { mode: 'cbc', keyBits }),
          ['SAML_ENCRYPTED', 'AES-CBC'],
        );
      }
    });

    test('a signature in inclusive canonical XML covers the declarations of the response, and fits after decryption', async () => {
      const begun = await idp.begin();
      const unsigned = responseXml(rightFields(idp.provider, app.address, begun.requestId)).replace(
        'Version=',
        'xmlns:unused="urn:of the &amp; response" Version=',
      );
      const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
      const sent = encrypted(
        signed(unsigned, idp.provider.key, 'Assertion', undefined, inclusive),
        encryptionFor(idp.certificate),
      );
      codeOf(await idp.end(begun, sent));
    });

    test('the key for this service is selected among several; none or two are refused', async () => {
      const keyPattern = /<xenc:EncryptedKey .*<\/xenc:EncryptedKey>/s;
      const named = (key: string, recipient: string, id: string) =>
        key.replace('Id="_key"', `Id="${id}" Recipient="${recipient}"`);
      const entityId = `${app.address}/v1/saml/metadata`;
      const withKeys = (begun: Begun, ...recipients: string[]): string => {
        const sent = idp.answerTo(begun, { layout: 'beside' });
        const foreign = keyPattern.exec(idp.answerTo(begun, { certificate: makeKey().certificate })) ?? [];
        return sent.replace(keyPattern, (own) =>
          recipients
            .map((one, index) => named(one === entityId ? own : (foreign[0] ?? ''), one, `_key${index}`))
            .join(''),
        );
      };
      const begun = await idp.begin();
      codeOf(
        await idp.end(begun, withKeys(begun, 'https://other.example', entityId, 'https://third.example')),
      );
      for (const recipients of [['a', 'b'], [entityId, entityId], Array(11).fill('a').with(5, entityId), []])
        await idp.refusesWith(
          (other) => withKeys(other, ...recipients),
          ['SAML_MALFORMED', 'one key for this service'],
        );
    });

    test('an assertion for a replaced key opens until that key is deleted', async () => {
      const age = (days: number) =>
        app.people.records.transact((tx) =>
          tx
            .updateTable('saml_keys')
            .set(({ eb }) => ({ used_from: eb('used_from', '-', days * dayMs) }))
            .where('use', '=', 'encryption')
            .execute(),
        );
      const core = await openCore(readConfig(app.settings), openLog('silent'));
      try {
        const keys = new SamlKeys(core.records, core.secrets);
        await age(650);
        await keys.rotate();
        const successor = await encryptionCertificate(app);
        assert.notEqual(successor, idp.certificate);
        for (const one of [idp.certificate, successor]) {
          const begun = await idp.begin();
          codeOf(await idp.end(begun, idp.answerTo(begun, { certificate: one })));
        }
        await age(100);
        await keys.rotate();
        await idp.refusesWith((begun) => idp.answerTo(begun), ['SAML_SIGNATURE']);
        idp.certificate = successor;
        const begun = await idp.begin();
        codeOf(await idp.end(begun, idp.answerTo(begun)));
      } finally {
        await closeCore(core);
      }
    });

    test('an encrypted assertion is accepted for its request, and once', async () => {
      const first = await idp.begin();
      const sent = idp.answerTo(first);
      await idp.refusesWith(
        (second) => sent.replaceAll(first.requestId, second.requestId),
        ['SAML_IN_RESPONSE_TO'],
      );
      codeOf(await idp.end(first, sent));
      assert.match((await post(app, sent, first.relayState)).text, /SAML_UNSOLICITED/);
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
