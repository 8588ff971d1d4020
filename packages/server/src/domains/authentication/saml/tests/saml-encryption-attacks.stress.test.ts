/** Attacks on encrypted assertions: failures to decrypt are indistinguishable, except for visible causes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnSqlite } from '../../../../../../../test/support/app.ts';
import { type Begun, codeOf, post, responseTo } from './saml-browser.fixture.ts';
import { EncryptingProvider, type Make } from './saml-encrypting-provider.fixture.ts';
import {
  encrypted,
  encryptedAssertion,
  encryptionCertificate,
  encryptionFor,
  flipped,
  xenc,
  xenc11,
} from './saml-encryption.fixture.ts';
import { makeKey, responseXml, rightFields, signed } from './saml-provider.fixture.ts';

const assertionPattern = /<saml:Assertion .*<\/saml:Assertion>/s;
const encryptedPattern = /<saml:EncryptedAssertion>.*<\/saml:EncryptedAssertion>/s;
/** The first is that of the wrapped key. */
const cipherValue = /<xenc:CipherValue>([^<]+)</;
const signaturePattern = /<(?:ds:)?Signature .*<\/(?:ds:)?Signature>/s;

describeOnSqlite(
  'attacks on encrypted SAML assertions',
  (app) => {
    let idp: EncryptingProvider;
    before(async () => {
      idp = await EncryptingProvider.open(app);
      idp.certificate = await encryptionCertificate(app);
    });
    after(() => idp.close());

    test('all failures inside give the same page and event', async () => {
      const inside = (text: (assertion: string) => string | Buffer) => (begun: Begun) =>
        idp.answerTo(begun, { change: { text } });
      const stranger = makeKey();
      const cases: Record<string, Make> = {
        'a signature that is wrong, in the clear': (begun) =>
          responseTo(app, idp.provider, begun).replace('>Ada<', '>Eve<'),
        'the wrapped key, first byte': (begun) => idp.answerTo(begun, { change: { wrappedKey: flipped(0) } }),
        'the wrapped key, last byte': (begun) => idp.answerTo(begun, { change: { wrappedKey: flipped(-1) } }),
        'the wrapped key, too short': (begun) =>
          idp.answerTo(begun, { change: { wrappedKey: (key) => key.subarray(1) } }),
        'the wrapped key, zeros': (begun) =>
          idp.answerTo(begun, { change: { wrappedKey: (key) => Buffer.alloc(key.length) } }),
        'a key for data of another length': (begun) =>
          idp.answerTo(begun).replace('aes256-gcm', 'aes128-gcm'),
        'the other digest': (begun) =>
          idp
            .answerTo(begun, { oaepHash: 'sha256' })
            .replace(/rsa-oaep"><ds.*?<\/xenc:Enc/, 'rsa-oaep"></xenc:Enc'),
        'the initialization vector': (begun) => idp.answerTo(begun, { change: { data: flipped(0) } }),
        'the first of the data': (begun) => idp.answerTo(begun, { change: { data: flipped(12) } }),
        'the tag': (begun) => idp.answerTo(begun, { change: { data: flipped(-1) } }),
        'the tag, cut off': (begun) =>
          idp.answerTo(begun, { change: { data: (data) => data.subarray(0, -4) } }),
        'too little data': (begun) =>
          idp.answerTo(begun, { change: { data: (data) => data.subarray(0, 20) } }),
        'a key that is not ours': (begun) => idp.answerTo(begun, { certificate: stranger.certificate }),
        'no text at all': inside(() => ''),
        'what is no XML': inside(() => 'hello'),
        'what is no UTF-8': inside(() => Buffer.of(0xff, 0xfe)),
        'a document type': inside((text) => `<!DOCTYPE x [<!ENTITY a "b">]>${text}`),
        'an XML declaration': inside((text) => `<?xml version="1.0"?>${text}`),
        'a comment': inside((text) => text.replace('person-1', 'person<!---->-1')),
        'no signature': inside((text) => text.replace(signaturePattern, '')),
        'a changed name': inside((text) => text.replace('person-1', 'person-2')),
        'another element around': inside((text) => `<x>${text}</x>`),
        'another element beside': inside((text) => `<x/>${text}`),
        'text beside': inside((text) => `x${text}`),
        'two assertions': inside((text) => text + text.replaceAll('ID="_a', 'ID="_b')),
        'an end before the end': inside((text) => `${text}</Response><Response>`),
        'an encrypted one': inside((text) => encryptedAssertion(text, encryptionFor(idp.certificate))),
        'a prefix that nobody declares': inside((text) =>
          text.replace('<saml:Issuer>', '<x:y/><saml:Issuer>'),
        ),
        'SHA-1': (begun) =>
          encrypted(
            signed(
              responseXml(rightFields(idp.provider, app.address, begun.requestId)),
              idp.provider.key,
              'Assertion',
              {
                signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
                digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
              },
            ),
            encryptionFor(idp.certificate),
          ),
        'a foreign signature': (begun) =>
          encrypted(
            signed(responseXml(rightFields(idp.provider, app.address, begun.requestId)), stranger),
            encryptionFor(idp.certificate),
          ),
        'a signed response, changed': (begun) =>
          idp.answerTo(begun, {}, true).replace('IssueInstant="2', 'Consent="x" IssueInstant="2'),
        'a response with a foreign signature': (begun) => signed(idp.answerTo(begun), stranger, 'Response'),
        'no signature inside, one outside': (begun) =>
          signed(
            idp.answerTo(begun, { change: { text: (text) => text.replace(signaturePattern, '') } }),
            idp.provider.key,
            'Response',
          ),
        'CBC, changed after the response was signed': (begun) =>
          idp.answerTo(begun, { mode: 'cbc' }, true).replace(/(CipherValue>)(....)([^<]{800,})/, '$1AAAA$3'),
        'CBC, padding wrong from the beginning': (begun) =>
          idp.answerTo(begun, { mode: 'cbc', change: { data: flipped(-17) } }, true),
        'CBC, no whole blocks': (begun) =>
          idp.answerTo(begun, { mode: 'cbc', change: { data: (data) => data.subarray(1) } }, true),
      };
      const [first = '', ...others] = Object.keys(cases);
      const of = (name: string) => idp.refusalOf(cases[name] ?? assert.fail());
      const expected = await of(first);
      assert.deepEqual([expected[0], expected[2].includes('SAML_SIGNATURE')], [403, true]);
      for (const name of others) assert.deepEqual(await of(name), expected, name);
    });

    test('a wrapped key opens AES-CBC once, whatever provider signs around it', async () => {
      const other = await EncryptingProvider.open(app);
      other.certificate = idp.certificate;
      /** Makes a response of `by` with a foreign wrapped key, and data that require possession of the key. */
      const replayed = (by: EncryptingProvider, begun: Begun, wrapped: string): string =>
        signed(
          by.answerTo(begun, { mode: 'cbc' }).replace(cipherValue, `<xenc:CipherValue>${wrapped}<`),
          by.provider.key,
          'Response',
        );
      const decrypted = async () =>
        (await app.people.records.read.selectFrom('saml_wrapped_keys').selectAll().execute()).length;
      try {
        for (const mode of ['cbc', 'gcm'] as const) {
          const recorded = idp.answerTo(await idp.begin(), { mode }, true);
          const [, wrapped = ''] = cipherValue.exec(recorded) ?? [];
          const before = await decrypted();
          const make = (by: EncryptingProvider) => (begun: Begun) => replayed(by, begun, wrapped);
          const first = await other.refusalOf(make(other));
          assert.equal(await decrypted(), before + 1);
          for (const by of [other, idp]) assert.deepEqual(await by.refusalOf(make(by)), first);
          assert.equal(await decrypted(), before + 1, 'one for all');
        }
        const begun = await idp.begin();
        const right = idp.answerTo(begun, { mode: 'cbc' }, true);
        codeOf(await idp.end(begun, right));
        const again = await idp.begin();
        const [assertion = ''] = encryptedPattern.exec(right) ?? [];
        const answer = signed(
          idp.answerTo(again, { mode: 'cbc' }).replace(encryptedPattern, assertion),
          idp.provider.key,
          'Response',
        );
        assert.match((await post(app, answer, again.relayState)).text, /SAML_SIGNATURE/);
      } finally {
        await other.close();
      }
    });

    test('unsupported methods are refused by name', async () => {
      const oaep256 = { oaepHash: 'sha256' } as const;
      const cases: [string, Make][] = [
        ['rsa-1_5', (begun) => idp.answerTo(begun).replace('rsa-oaep-mgf1p', 'rsa-1_5')],
        ['Triple DES', (begun) => idp.answerTo(begun).replace(`${xenc11}aes256-gcm`, `${xenc}tripledes-cbc`)],
        ['unknown', (begun) => idp.answerTo(begun).replace('aes256-gcm', 'marked')],
        ['unknown', (begun) => idp.answerTo(begun).replace('rsa-oaep-mgf1p', 'marked')],
        ['unknown', (begun) => idp.answerTo(begun, oaep256).replace('mgf1sha256', 'marked')],
        ['two different', (begun) => idp.answerTo(begun, oaep256).replace('mgf1sha256', 'mgf1sha1')],
        ['two different', (begun) => idp.answerTo(begun, oaep256).replace(/<xenc11:MGF[^>]*>/, '')],
        ['two different', (begun) => idp.answerTo(begun, oaep256).replace(/<ds:DigestMethod[^>]*>/, '')],
        [
          'two different',
          (begun) => idp.answerTo(begun, oaep256).replace(`${xenc11}rsa-oaep`, `${xenc}rsa-oaep-mgf1p`),
        ],
        [
          'OAEPparams',
          (begun) =>
            idp
              .answerTo(begun, oaep256)
              .replace('<ds:DigestMethod', '<xenc:OAEPparams>AAAA</xenc:OAEPparams><ds:DigestMethod'),
        ],
      ];
      for (const [name, make] of cases) {
        await idp.refusesWith(make, ['SAML_ENCRYPTED', name]);
      }
    });

    /** Makes a response with a separately encrypted part, then encrypted as a whole on request. */
    const inPart =
      (from: RegExp | string, to: (part: string) => string, isEncrypted: boolean) => (begun: Begun) => {
        const part = encryptedAssertion('x', encryptionFor(idp.certificate));
        const fields = rightFields(idp.provider, app.address, begun.requestId);
        const sent = signed(responseXml(fields).replace(from, to(part)), idp.provider.key);
        return isEncrypted ? encrypted(sent, encryptionFor(idp.certificate)) : sent;
      };

    test('a separately encrypted name is refused with an explanation, inside an encrypted assertion too', async () => {
      const asName = (part: string) => part.replaceAll('EncryptedAssertion', 'EncryptedID');
      for (const isEncrypted of [false, true])
        await idp.refusesWith(inPart(/<saml:NameID .*<\/saml:NameID>/, asName, isEncrypted), [
          'SAML_ENCRYPTED',
          'EncryptedID',
        ]);
    });

    test('separately encrypted attributes count as absent', async () => {
      const place = '</saml:AttributeStatement>';
      const asAttribute = (part: string) =>
        part.replaceAll('EncryptedAssertion', 'EncryptedAttribute') + place;
      const asExtension = () => '<samlp:Extensions><EncryptedData/></samlp:Extensions><samlp:Status>';
      for (const isEncrypted of [false, true])
        for (const make of [
          inPart(place, asAttribute, isEncrypted),
          inPart('<samlp:Status>', asExtension, isEncrypted),
        ]) {
          const begun = await idp.begin();
          codeOf(await idp.end(begun, make(begun)));
        }
    });

    test('a response has one assertion, encrypted or not, and its elements in their places', async () => {
      const data = /<xenc:EncryptedData .*<\/xenc:EncryptedData>/s;
      const whole = encryptedPattern;
      const cases: Record<string, Make> = {
        'two encrypted ones': (begun) =>
          idp.answerTo(begun).replace(whole, (one) => one + one.replace('_key', '_other')),
        'a plain one before': (begun) => {
          const [plain = ''] = assertionPattern.exec(responseTo(app, idp.provider, begun)) ?? [];
          return idp.answerTo(begun).replace(whole, (one) => plain + one);
        },
        'a plain one behind': (begun) => {
          const [plain = ''] = assertionPattern.exec(responseTo(app, idp.provider, begun)) ?? [];
          return idp.answerTo(begun).replace(whole, (one) => one + plain);
        },
        'one that is deeper': (begun) => idp.answerTo(begun).replace(whole, (one) => `<x>${one}</x>`),
        'one of another namespace': (begun) =>
          idp.answerTo(begun).replaceAll('saml:EncryptedAssertion', 'samlp:EncryptedAssertion'),
        'nothing in it': (begun) => idp.answerTo(begun).replace(data, ''),
        'two in it': (begun) =>
          idp.answerTo(begun).replace(data, (one) => one + one.replace('_key', '_other')),
        'no key': (begun) => idp.answerTo(begun).replace(/<xenc:EncryptedKey .*<\/xenc:EncryptedKey>/s, ''),
        'no method': (begun) => idp.answerTo(begun).replace(/<xenc:EncryptionMethod[^>]*>/, ''),
        'a reference to the bytes': (begun) =>
          idp
            .answerTo(begun)
            .replace(
              /<xenc:CipherValue>[^<]*<\/xenc:CipherValue>/g,
              '<xenc:CipherReference URI="http://127.0.0.1/"/>',
            ),
        'no base64': (begun) => idp.answerTo(begun).replace(/<xenc:CipherValue>/g, '<xenc:CipherValue>!'),
        'content in the place of an element': (begun) =>
          idp.answerTo(begun).replace('xmlenc#Element', 'xmlenc#Content'),
        'an ID twice': (begun) =>
          idp
            .answerTo(begun)
            .replace('Id="_key"', `Id="${/ ID="([^"]*)/.exec(idp.answerTo(begun))?.[1] ?? ''}"`)
            .replace(/ ID="[^"]*/, ' ID="_same')
            .replace(/Id="[^"]*/, 'Id="_same'),
        'a signature beside the data': (begun) => {
          const [signature = ''] = signaturePattern.exec(responseTo(app, idp.provider, begun)) ?? [];
          return idp.answerTo(begun).replace('<saml:EncryptedAssertion>', (one) => one + signature);
        },
        'too much of it': (begun) =>
          idp.answerTo(begun, { change: { text: (text) => text + ' '.repeat(300_000) } }),
      };
      for (const [name, make] of Object.entries(cases)) {
        const [, page] = await idp.refusalOf(make);
        assert.ok(page.includes('SAML_MALFORMED'), `${name}: ${page}`);
      }
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
