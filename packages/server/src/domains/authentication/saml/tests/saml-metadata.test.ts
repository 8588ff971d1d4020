/** Metadata: of this service, and untrusted ones of identity providers. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { makeClient } from '../../sign-in/tests/signed-in.fixture.ts';
import { selfSignedCertificate } from '../encryption/certificate.ts';
import {
  authorizationQuery,
  begin,
  codeOf,
  finish,
  post,
  responseTo,
  signIn,
  visit,
} from './saml-browser.fixture.ts';
import { has, makeKey, TestProvider } from './saml-provider.fixture.ts';

const schemas = '/usr/share/xml/opensaml/saml-schema-metadata-2.0.xsd';
const schemaSkip =
  (existsSync(schemas) && has('xmllint')) || process.env['CI'] === 'true'
    ? false
    : 'there are no SAML schemas: apt-get install opensaml-schemas xmltooling-schemas libxml2-utils';
/** Debian's copies of the schemas that those of SAML import. */
const schemaCatalog = `<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
${[
  ['http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd', 'xmldsig-core-schema.xsd'],
  ['http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd', 'xenc-schema.xsd'],
  ['http://www.w3.org/2001/xml.xsd', 'xml.xsd'],
]
  .map(([from, to]) => `<system systemId="${from}" uri="file:///usr/share/xml/xmltooling/${to}"/>`)
  .join('\n')}
</catalog>`;
/** Metadata with XML Encryption 1.1, which the schemas of SAML lack. */
const schemaOfAll = `<schema xmlns="http://www.w3.org/2001/XMLSchema">
<import namespace="urn:oasis:names:tc:SAML:2.0:metadata" schemaLocation="file://${schemas}"/>
<import namespace="http://www.w3.org/2009/xmlenc11#" schemaLocation="file:///usr/share/xml/xmltooling/xenc11-schema.xsd"/>
</schema>`;
const dayMs = 86_400_000;

describeApp(
  'SAML metadata',
  (app) => {
    let provider: TestProvider;
    before(async () => {
      provider = await new TestProvider().open();
    });
    after(() => provider.close());

    const clientOf = (metadataUrl: string) =>
      makeClient(app, { identityProviders: ['SAML'], customIdentityProvider: { metadataUrl } });
    const start = async (client: string) =>
      visit(`${app.address}/v1/saml/sign-in?request=${encodeURIComponent(authorizationQuery(client))}`);
    /** Ages the stored metadata by this time. */
    const age = (client: string, ms: number) =>
      app.people.records.transact((tx) =>
        tx
          .updateTable('saml_providers')
          .set(({ eb }) => ({ tried_at: eb('tried_at', '-', ms), fetched_at: eb('fetched_at', '-', ms) }))
          .where('client_id', '=', client)
          .execute(),
      );

    test('own metadata name the address of responses, and require signatures', async () => {
      const seen = await visit(`${app.address}/v1/saml/metadata`);
      assert.equal(seen.status, 200);
      assert.equal(seen.headers.get('content-type'), 'application/samlmetadata+xml');
      for (const part of [
        `entityID="${app.address}/v1/saml/metadata"`,
        'WantAssertionsSigned="true"',
        'AuthnRequestsSigned="true"',
        `Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${app.address}/v1/saml/acs"`,
      ])
        assert.ok(seen.text.includes(part), part);
      assert.equal((await visit(`${app.address}/v1/saml/metadata`)).text, seen.text, 'the key is kept');
    });

    test('own metadata contain an encryption key on request only: most providers encrypt once they find one', async () => {
      const address = `${app.address}/v1/saml/metadata`;
      const before = (await visit(address)).text;
      const { text } = await visit(`${address}?encryption=true`);
      const [descriptor = ''] =
        /\s*<md:KeyDescriptor use="encryption">.*?<\/md:KeyDescriptor>/s.exec(text) ?? [];
      for (const algorithm of ['aes256-gcm', 'aes128-gcm', 'rsa-oaep-mgf1p', 'rsa-oaep"', 'mgf1sha256'])
        assert.ok(descriptor.includes(algorithm), algorithm);
      // Not anywhere in it: one random certificate in two hundred contains these letters.
      assert.doesNotMatch(descriptor, /Algorithm="[^"]*cbc/);
      assert.equal(text.replace(descriptor, ''), before, 'nothing else differs');
      const certificates = [...text.matchAll(/<ds:X509Certificate>([^<]+)/g)].map(([, base64 = '']) =>
        new X509Certificate(Buffer.from(base64, 'base64')).publicKey.export({ type: 'spki', format: 'pem' }),
      );
      assert.equal(new Set(certificates).size, 2, 'another key than that of signatures');
      assert.equal((await visit(`${address}?encryption=true`)).text, text, 'the key is kept');
      for (const more of ['', '?encryption=false']) assert.equal((await visit(address + more)).text, before);
    });

    test('own metadata are valid against the schema of OASIS', { skip: schemaSkip }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'ploidy-saml-'));
      try {
        const file = join(folder, 'metadata.xml');
        const catalog = join(folder, 'catalog.xml');
        writeFileSync(catalog, schemaCatalog);
        const schema = join(folder, 'all.xsd');
        writeFileSync(schema, schemaOfAll);
        const env = { ...process.env, XML_CATALOG_FILES: catalog };
        for (const more of ['', '?encryption=true']) {
          writeFileSync(file, (await visit(`${app.address}/v1/saml/metadata${more}`)).text);
          execFileSync('xmllint', ['--nonet', '--noout', '--schema', schema, file], { env, stdio: 'pipe' });
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

    test('provider metadata are fetched once an hour, concurrent requests included', async () => {
      const client = await clientOf(provider.metadataUrl);
      const before = provider.fetched;
      await Promise.all(Array.from({ length: 5 }, () => begin(app, client.id)));
      await begin(app, client.id);
      assert.equal(provider.fetched, before + 1);
      await age(client.id, 3_600_001);
      await begin(app, client.id);
      assert.equal(provider.fetched, before + 2);
    });

    test('new keys are found when a signature fails, once, and old ones are void', async () => {
      const turning = await new TestProvider().open();
      try {
        const client = await clientOf(turning.metadataUrl);
        codeOf(await signIn(app, turning, client.id, { nameId: 'turning' }));
        const old = turning.key;
        turning.key = makeKey();
        await age(client.id, 60_000);
        const before = turning.fetched;
        codeOf(await signIn(app, turning, client.id, { nameId: 'turning' }));
        assert.equal(turning.fetched, before + 1);
        const begun = await begin(app, client.id);
        const [renewed, fetched] = [turning.key, turning.fetched];
        turning.key = old;
        const stale = responseTo(app, turning, begun);
        turning.key = renewed;
        assert.match((await post(app, stale, begun.relayState)).text, /SAML_SIGNATURE/);
        assert.equal(turning.fetched, fetched, 'just fetched: invalid responses cause no requests');
      } finally {
        await turning.close();
      }
    });

    test('the last valid copy is used while the provider fails, until its own expiry', async () => {
      const failing = await new TestProvider().open();
      try {
        const client = await clientOf(failing.metadataUrl);
        failing.metadataExtra = `validUntil="${new Date(Date.now() + dayMs).toISOString()}"`;
        await begin(app, client.id);
        for (const answer of ['<html/>', '', '<!DOCTYPE x><x/>']) {
          failing.answerMetadata = (response) => void response.end(answer);
          await age(client.id, 3_600_001);
          const begun = await begin(app, client.id);
          codeOf(
            await finish(
              app,
              await post(app, responseTo(app, failing, begun, { nameId: 'failing' }), begun.relayState),
              begun.cookie,
            ),
          );
        }
        await app.people.records.transact(async (tx) => {
          const row = await tx
            .selectFrom('saml_providers')
            .select('document')
            .where('client_id', '=', client.id)
            .executeTakeFirstOrThrow();
          const document = (row.document ?? '').replace(
            /validUntil="[^"]*"/,
            'validUntil="2020-01-01T00:00:00Z"',
          );
          await tx
            .updateTable('saml_providers')
            .set({ document })
            .where('client_id', '=', client.id)
            .execute();
        });
        await age(client.id, 3_600_001);
        assert.equal((await start(client.id)).status, 502);
      } finally {
        await failing.close();
      }
    });

    test('unusable metadata are refused with the reason, without redirect', async () => {
      const certificate = /<ds:X509Certificate>[^<]*/;
      const other = provider.metadata();
      const cases: [string, string][] = [
        [other.replace('<md:Ent', '<!DOCTYPE x [<!ENTITY a "b">]><md:Ent'), 'document type'],
        ['x'.repeat(600 * 1024), 'larger than 512 KiB'],
        ['<a></b>', 'not well-formed'],
        [other.replace(/IDPSSODescriptor/g, 'SPSSODescriptor'), 'no identity provider'],
        [other.replace('SAML:2.0:protocol', 'SAML:1.1:protocol'), 'no identity provider'],
        [
          `<x xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${`${other}${other}`.replace(/<\?xml[^>]*\?>/g, '')}</x>`,
          'more than one',
        ],
        [other.replace(certificate, '<ds:X509Certificate>AAAA'), 'certificates cannot be read'],
        [other.replace('use="signing"', 'use="encryption"'), 'no certificate'],
        [other.replace(certificate, `<ds:X509Certificate>${ofEllipticCurve()}`), 'elliptic curves are not'],
        [other.replace('HTTP-Redirect', 'SOAP'), 'no sign-in'],
        [other.replace('https://provider.example/sso', 'javascript:alert(1)//'), 'https://'],
        [other.replace('https://provider.example/sso', 'http://provider.example/sso'), 'https://'],
        [other.replace('entityID="', 'x="'), 'entityID'],
        [other.replace('entityID=', 'validUntil="2020-01-01T00:00:00Z" entityID='), 'validUntil'],
        [other.replace('entityID=', 'validUntil="soon" entityID='), 'validUntil'],
      ];
      for (const [document, reason] of cases) {
        provider.answerMetadata = (response) => void response.end(document);
        const client = await clientOf(provider.metadataUrl);
        const seen = await start(client.id);
        assert.equal(seen.status, 502, reason);
        assert.ok(seen.text.includes(reason), `${reason}: ${seen.text}`);
        assert.deepEqual([seen.location, seen.cookies], ['', []]);
      }
      const redirecting = await clientOf(provider.metadataUrl);
      provider.answerMetadata = (response) => void response.writeHead(302, { location: '/metadata' }).end();
      assert.match((await start(redirecting.id)).text, /redirects/);
      provider.answerMetadata = undefined;
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);

describeApp('SAML metadata in private networks', (app) => {
  test('private addresses are refused with the setting that permits them, without connecting', async () => {
    let connections = 0;
    const server = createServer((_request, response) => response.end()).on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const settings = {
      identityProviders: ['SAML'],
      customIdentityProvider: { metadataUrl: 'https://idp.example/metadata', attributeMapping: [] },
    };
    const client = await makeClient(app, settings);
    for (const metadataUrl of [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `https://127.1:${port}/`,
    ]) {
      const customIdentityProvider = { ...settings.customIdentityProvider, metadataUrl };
      const refused = await app.call('PUT', `/v1/clients/${client.id}`, { body: { customIdentityProvider } });
      assert.deepEqual(
        [refused.status, refused.body.details?.[0].path],
        [400, 'body/customIdentityProvider/metadataUrl'],
      );
      assert.match(refused.body.error, /PLOIDY_ALLOW_PRIVATE_HOSTS=true/);
      // As if created while the setting was on.
      await app.people.records.transact(async (tx) => {
        const rows = tx.updateTable('clients').where('id', '=', client.id);
        const row = await tx
          .selectFrom('clients')
          .select('settings')
          .where('id', '=', client.id)
          .executeTakeFirstOrThrow();
        await rows
          .set({ settings: JSON.stringify({ ...JSON.parse(row.settings), customIdentityProvider }) })
          .execute();
      });
      const seen = await visit(
        `${app.address}/v1/saml/sign-in?request=${encodeURIComponent(authorizationQuery(client.id))}`,
      );
      assert.equal(seen.status, 502);
      assert.match(seen.text, /private network/);
    }
    server.close();
    assert.equal(connections, 0);
  });
});

/** Returns the certificate of an elliptic curve key; its issuer has no meaning in SAML. */
function ofEllipticCurve(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey } = makeKey();
  const validity = { from: new Date(Date.now() - 1000), to: new Date(Date.now() + 60_000) };
  const pem = selfSignedCertificate({ publicKey, privateKey }, 'Provider', validity);
  return pem.replace(/-----[^-]+-----|\s/g, '');
}
