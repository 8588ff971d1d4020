/** Attacks by an identity provider or an impostor. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnPostgres } from '../../../../../../../test/support/app.ts';
import { makeClient } from '../../sign-in/tests/signed-in.fixture.ts';
import { type Begun, begin, codeOf, finish, post, responseTo, type Seen } from './saml-browser.fixture.ts';
import {
  makeKey,
  type ResponseFields,
  responseXml,
  rightFields,
  signed,
  TestProvider,
} from './saml-provider.fixture.ts';
import { wrappings } from './saml-wrappings.fixture.ts';

const minuteMs = 60_000;
const victim = 'victim';
const villain = 'villain';

describeOnPostgres(
  'attacks on SAML sign-in',
  (app) => {
    let provider: TestProvider;
    let client: { id: string };
    before(async () => {
      provider = await new TestProvider().open();
      client = await makeClient(app, {
        identityProviders: ['SAML', 'PASSWORD'],
        customIdentityProvider: { metadataUrl: provider.metadataUrl },
      });
    });
    after(() => provider.close());

    const people = async (): Promise<string[]> =>
      (await app.people.records.read.selectFrom('saml_identities').select('subject').execute()).map(
        (one) => one.subject,
      );
    const unsigned = (begun: Begun, change: Partial<ResponseFields> = {}): string =>
      responseXml({ ...rightFields(provider, app.address, begun.requestId, villain), ...change });

    /** Asserts a refusal with this code on a page without input, without cookie or sign-in. */
    const assertRefused = async (seen: Seen, code: string): Promise<void> => {
      assert.ok([400, 403].includes(seen.status), `${seen.status} ${seen.text}`);
      assert.ok(seen.text.includes(code), seen.text);
      assert.match(seen.headers.get('content-type') ?? '', /^text\/html/);
      for (const word of [victim, villain, 'marked']) assert.ok(!seen.text.includes(word), word);
      assert.deepEqual([seen.location, seen.cookies], ['', []]);
      assert.deepEqual(await people(), []);
    };
    const refuses = async (make: (begun: Begun) => string, code: string): Promise<void> => {
      const begun = await begin(app, client.id);
      await assertRefused(await post(app, make(begun), begun.relayState), code);
      const right = await post(app, responseTo(app, provider, begun), begun.relayState);
      await assertRefused(right, 'SAML_UNSOLICITED');
    };

    test('an attribute or a name edited after signing is refused', async () => {
      for (const [from, to] of [
        ['villain@provider.example', 'victim@provider.example'],
        ['>villain<', '>victim<'],
        // With its brackets: a certificate in Base64 may hold the letters alone.
        ['>Ada<', '>Eve<'],
      ] as const)
        await refuses(
          (begun) => responseTo(app, provider, begun, { nameId: villain }).replace(from, to),
          'SAML_SIGNATURE',
        );
    });

    // asvs: 6.8.2
    test('a response without a signature, or with one of the response alone, is refused', async () => {
      await refuses((begun) => unsigned(begun), 'SAML_UNSIGNED');
      await refuses((begun) => signed(unsigned(begun), provider.key, 'Response'), 'SAML_UNSIGNED');
      await refuses(
        (begun) => responseTo(app, provider, begun).replace(/<(\w+:)?Signature .*<\/(\w+:)?Signature>/s, ''),
        'SAML_UNSIGNED',
      );
      await refuses(
        (begun) => responseTo(app, provider, begun).replace(/<SignatureValue>[^<]*</, '<SignatureValue><'),
        'SAML_SIGNATURE',
      );
    });

    test('a right assertion in a response with a wrong signature is refused', async () => {
      await refuses((begun) => {
        const both = signed(signed(unsigned(begun), provider.key), provider.key, 'Response');
        return both.replace('Version="2.0" IssueInstant="2', 'Version="2.0" Consent="x" IssueInstant="2');
      }, 'SAML_SIGNATURE');
    });

    for (const [name, wrap] of Object.entries(wrappings))
      test(`signature wrapping: ${name}`, async () => {
        const begun = await begin(app, client.id);
        const forged = wrap(responseTo(app, provider, begun, { nameId: villain }), villain, victim);
        assert.ok(forged.includes(victim) && forged.includes(villain));
        const seen = await post(app, forged, begun.relayState);
        await assertRefused(seen, seen.status === 400 ? 'SAML_MALFORMED' : 'SAML_');
      });

    test('a foreign certificate is refused, also when the response contains it', async () => {
      const foreign = makeKey();
      await refuses((begun) => signed(unsigned(begun), foreign), 'SAML_SIGNATURE');
      await refuses(
        (begun) => signed(signed(unsigned(begun), foreign), foreign, 'Response'),
        'SAML_SIGNATURE',
      );
    });

    test('signatures and digests with SHA-1, and keys used as passwords (HMAC), are refused', async () => {
      const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
      const rsa = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
      for (const algorithms of [
        { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', digest: sha256 },
        { signature: rsa, digest: 'http://www.w3.org/2000/09/xmldsig#sha1' },
      ])
        await refuses(
          (begun) => signed(unsigned(begun), provider.key, 'Assertion', algorithms),
          'SAML_ALGORITHM',
        );
      for (const other of [
        'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
        'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
        'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256',
        'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
        'none',
        '',
      ])
        await refuses((begun) => responseTo(app, provider, begun).replace(rsa, other), 'SAML_ALGORITHM');
    });

    test('a misdirected, foreign, early or late assertion is refused', async () => {
      const wrong: [string, Partial<ResponseFields>][] = [
        ['SAML_AUDIENCE', { audience: 'https://marked.example' }],
        ['SAML_AUDIENCE', { audience: `${app.address}/v1/saml/metadata/` }],
        ['SAML_RECIPIENT', { recipient: 'https://marked.example/acs' }],
        ['SAML_RECIPIENT', { recipient: `${app.address}/v1/saml/acs?x` }],
        ['SAML_DESTINATION', { destination: 'https://marked.example/acs' }],
        ['SAML_ISSUER', { issuer: 'https://marked.example' }],
        ['SAML_ISSUER', { issuer: ` ${provider.entityId}` }],
        ['SAML_EXPIRED', { notOnOrAfter: new Date(Date.now() - minuteMs) }],
        ['SAML_NOT_YET_VALID', { notBefore: new Date(Date.now() + minuteMs) }],
        ['SAML_EXPIRED', { sessionNotOnOrAfter: new Date(Date.now() - minuteMs) }],
        ['SAML_STATUS', { status: 'Responder' }],
        ['SAML_IN_RESPONSE_TO', { inResponseTo: '_marked' }],
        ['SAML_IN_RESPONSE_TO', { inResponseTo: undefined }],
        ['SAML_MALFORMED', { nameId: '' }],
      ];
      for (const [code, change] of wrong)
        await refuses((begun) => responseTo(app, provider, begun, { nameId: villain, ...change }), code);
    });

    test('an assertion with missing content is refused', async () => {
      for (const [part, left, code] of [
        [/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '', 'SAML_AUDIENCE'],
        [/<saml:Conditions .*<\/saml:Conditions>/, '', 'SAML_MALFORMED'],
        [/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '', 'SAML_RECIPIENT'],
        [/ NotOnOrAfter="[^"]*" Recipient/, ' Recipient', 'SAML_EXPIRED'],
        [/<saml:AuthnStatement .*<\/saml:AuthnStatement>/, '', 'SAML_MALFORMED'],
        [/<saml:Subject>.*<\/saml:Subject>/, '', 'SAML_MALFORMED'],
        [/acs" InResponseTo="[^"]*"\/>/, 'acs"/>', 'SAML_IN_RESPONSE_TO'],
        [/<saml:AudienceRestriction>/, '<saml:Condition/><saml:AudienceRestriction>', 'SAML_MALFORMED'],
      ] as const)
        await refuses((begun) => signed(unsigned(begun).replace(part, left), provider.key), code);
    });

    test('a comment or a processing instruction inside the name is refused: the signature may not cover it', async () => {
      for (const inside of ['<!---->', '<!-- x -->', '<?x y?>', '<x/>', '<![CDATA[<x/>]]><!-- -->'])
        await refuses(
          (begun) =>
            responseTo(app, provider, begun, { nameId: `${victim}.${villain}` }).replace(
              `>${victim}.`,
              `>${victim}${inside}.`,
            ),
          inside === '<x/>' ? 'SAML_SIGNATURE' : 'SAML_MALFORMED',
        );
    });

    // asvs: 1.5.1
    test('entities, document types, and oversized or deep XML are refused before parsing', async () => {
      const bomb = `<!DOCTYPE b [<!ENTITY a "${'x'.repeat(100)}"><!ENTITY b "&a;&a;&a;&a;">]>`;
      const file = '<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]>';
      for (const make of [
        (right: string) => bomb + right.replace(villain, '&b;'),
        (right: string) => file + right.replace(villain, '&a;'),
        (right: string) => `<!doctype x>${right}`,
        (right: string) =>
          right.replace('</samlp:Status>', `</samlp:Status>${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`),
        (right: string) => right.replace('</samlp:Status>', `</samlp:Status>${'<a/>'.repeat(30_000)}`),
        (right: string) => `${right}${' '.repeat(300_000)}`,
        (right: string) => `${right}${right}`,
        (right: string) => right.slice(0, -20),
        (right: string) => Buffer.from(right, 'utf16le').toString('latin1'),
        () => 'hello',
        () => '<a/>',
        () => '',
      ])
        await refuses(
          (begun) => make(responseTo(app, provider, begun, { nameId: villain })),
          'SAML_MALFORMED',
        );
    });

    // asvs: 7.6.2
    test('a response to no request, or to an expired one, is refused', async () => {
      const begun = await begin(app, client.id);
      const right = responseTo(app, provider, begun);
      for (const relayState of ['', 'x', 'https://marked.example', begun.requestId])
        await assertRefused(await post(app, right, relayState), 'SAML_UNSOLICITED');
      await app.people.records.transact((tx) =>
        tx
          .updateTable('saml_requests')
          .set({ expires_at: Date.now() - 1 })
          .where('id', '=', begun.requestId)
          .execute(),
      );
      await assertRefused(await post(app, right, begun.relayState), 'SAML_UNSOLICITED');
    });

    test('a response to the request of another browser is refused', async () => {
      const villains = await begin(app, client.id);
      const mine = await begin(app, client.id);
      const right = responseTo(app, provider, villains, { nameId: villain });
      await assertRefused(await post(app, right, mine.relayState), 'SAML_IN_RESPONSE_TO');
      const accepted = await post(app, right, villains.relayState);
      for (const cookie of [mine.cookie, '', 'ploidy-saml=x', `ploidy-saml=${'A'.repeat(43)}`])
        await assertRefused(await finish(app, accepted, cookie), 'SAML_OTHER_BROWSER');
    });

    test('a failed sign-in is one event of the account, for any number of repetitions', async () => {
      const begun = await begin(app, client.id);
      const refusals = app.people.records.read
        .selectFrom('audit_events')
        .select('sequence')
        .where('action', '=', 'saml.refuse');
      const count = async () => (await refusals.execute()).length;
      const before = await count();
      for (let time = 0; time < 5; time += 1) await post(app, unsigned(begun), begun.relayState);
      assert.equal(await count(), before + 1);
      const events = await app.people.records.read.selectFrom('audit_events').selectAll().execute();
      assert.ok(!JSON.stringify(events).includes(villain));
    });

    // asvs: 6.8.3
    test('one response is used once: concurrently, later, and by its assertion in another request', async () => {
      const begun = await begin(app, client.id);
      const right = responseTo(app, provider, begun, { nameId: 'honest', id: 'same-id' });
      const all = await Promise.all(Array.from({ length: 10 }, () => post(app, right, begun.relayState)));
      const accepted = all.filter((one) => one.status === 302);
      assert.equal(accepted.length, 1);
      for (const one of all) if (one.status !== 302) assert.equal(one.status, 403);
      assert.ok((await post(app, right, begun.relayState)).text.includes('SAML_UNSOLICITED'));
      const [only] = accepted;
      assert.ok(only);
      const finished = await Promise.all(Array.from({ length: 10 }, () => finish(app, only, begun.cookie)));
      assert.equal(finished.filter((one) => one.status === 302).length, 1);
      const other = await begin(app, client.id);
      const again = responseTo(app, provider, other, { nameId: 'honest', id: 'same-id' });
      assert.ok((await post(app, again, other.relayState)).text.includes('SAML_REPLAYED'));
    });

    test('a right response still signs in', async () => {
      const begun = await begin(app, client.id);
      const both = signed(responseTo(app, provider, begun, { nameId: 'honest' }), provider.key, 'Response');
      codeOf(await finish(app, await post(app, both, begun.relayState), begun.cookie));
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
