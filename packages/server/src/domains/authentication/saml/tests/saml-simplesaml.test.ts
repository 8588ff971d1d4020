/** Real identity provider: SimpleSAMLphp of Debian, cross-site as in production. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer as createApplication } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { openTestApp, type TestApp } from '../../../../../../../test/support/app.ts';
import { freePort } from '../../../../../../../test/support/free-port.ts';
import { callback, makeClient } from '../../sign-in/tests/signed-in.fixture.ts';
import { authorizationQuery, codeOf, fieldsOf, finish, Jar, post } from './saml-browser.fixture.ts';
import { withoutOuterSignature, wrappings } from './saml-wrappings.fixture.ts';
import { people, type Simplesaml, simplesamlSkip, startSimplesaml } from './simplesaml.fixture.ts';

const browserPath = '/usr/bin/chromium';
const browserSkip =
  existsSync(browserPath) || process.env['CI'] === 'true'
    ? false
    : 'there is no Chromium: apt-get install chromium';

/** Signs in at the provider; returns what its page would post to the service. */
async function answerOf(
  provider: Simplesaml,
  address: string,
  user: keyof typeof people,
  jar: Jar,
): Promise<{ xml: string; relayState: string }> {
  const page = await jar.go(address);
  const { AuthState = '' } = fieldsOf(page.text);
  assert.notEqual(AuthState, '', page.text);
  const answered = await jar.go(`${provider.address}module.php/core/loginuserpass.php`, {
    AuthState,
    username: user,
    password: people[user].password,
  });
  const { SAMLResponse = '', RelayState = '' } = fieldsOf(answered.text);
  assert.notEqual(SAMLResponse, '', answered.text);
  return { xml: Buffer.from(SAMLResponse, 'base64').toString(), relayState: RelayState };
}

describe('SAML sign-in with SimpleSAMLphp', { skip: simplesamlSkip }, () => {
  let app: TestApp;
  let provider: Simplesaml;
  let client: { id: string };
  before(async () => {
    const port = await freePort();
    // The provider is on 127.0.0.1, which is cross-site to localhost: cookies are withheld as between real
    // hosts.
    const settings = { PLOIDY_PORT: String(port), PLOIDY_PUBLIC_URL: `http://localhost:${port}` };
    app = await openTestApp({ ...settings, PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' });
    const metadata = await (await fetch(`${app.address}/v1/saml/metadata`)).text();
    provider = await startSimplesaml({
      entityId: `${app.address}/v1/saml/metadata`,
      acsUrl: `${app.address}/v1/saml/acs`,
      certificate: /<ds:X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? '',
    });
    client = await makeClient(app, {
      callbackUrls: [callback, 'http://127.0.0.1/callback'],
      identityProviders: ['SAML'],
      customIdentityProvider: { metadataUrl: provider.metadataUrl },
    });
  });
  after(async () => {
    await provider?.stop();
    await app?.stop();
  });

  const signInAddress = (more: Record<string, string> = {}) =>
    `${app.address}/v1/saml/sign-in?request=${encodeURIComponent(authorizationQuery(client.id, more))}`;

  const answerFor = (user: keyof typeof people, jar = new Jar()) =>
    answerOf(provider, signInAddress({ prompt: 'login' }), user, jar);

  test('a user signs in, and again without a password during the provider’s session', async () => {
    const jar = new Jar();
    const { xml, relayState } = await answerFor('grace', jar);
    const accepted = await post(app, xml, relayState);
    assert.ok(codeOf(await jar.go(`${app.address}${accepted.location}`)));
    const user = await app.people.records.read
      .selectFrom('users')
      .selectAll()
      .where('email', '=', people.grace.mail)
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(user.profile), { name: 'Grace Hopper', preferredUsername: 'grace' });
    const { SAMLResponse = '', RelayState = '' } = fieldsOf((await jar.go(signInAddress())).text);
    const again = await post(app, Buffer.from(SAMLResponse, 'base64').toString(), RelayState);
    assert.ok(codeOf(await jar.go(`${app.address}${again.location}`)));
    const identities = await app.people.records.read
      .selectFrom('saml_identities')
      .select('user_id')
      .execute();
    assert.deepEqual(identities, [{ user_id: user.id }]);
  });

  test('changed real responses are refused', async () => {
    const edit: Record<string, (xml: string) => string> = {
      'an attribute': (xml) => xml.replaceAll(people.mallory.mail, people.grace.mail),
      'an attribute, without the outer signature': (xml) =>
        withoutOuterSignature(xml).replaceAll(people.mallory.mail, people.grace.mail),
      'all signatures': (xml) => xml.replace(/<ds:Signature .*?<\/ds:Signature>/gs, ''),
      'the inner signature': (xml) => {
        const outer = xml.indexOf('</ds:Signature>') + 1;
        return xml.slice(0, outer) + xml.slice(outer).replace(/<ds:Signature .*<\/ds:Signature>/s, '');
      },
      'a comment': (xml) => xml.replace(people.mallory.mail, 'mallory<!-- -->@simplesaml.example'),
      'an entity': (xml) => xml.replace(/^(<\?xml[^>]*\?>)?/, '$1<!DOCTYPE x [<!ENTITY a "b">]>'),
      audience: (xml) => xml.replace('<saml:Audience>', '<saml:Audience>x'),
      ...Object.fromEntries(
        Object.entries(wrappings).map(([name, wrap]) => [
          name,
          (xml: string) => wrap(withoutOuterSignature(xml), people.mallory.mail, people.grace.mail),
        ]),
      ),
    };
    const control = await answerFor('mallory');
    const right = await post(app, withoutOuterSignature(control.xml), control.relayState);
    assert.equal(
      right.status,
      302,
      'the signature of the assertion is enough, so the attacks below fail for their own sake',
    );
    for (const [name, change] of Object.entries(edit)) {
      const { xml, relayState } = await answerFor('mallory');
      const changed = change(xml);
      assert.notEqual(changed, xml, name);
      const seen = await post(app, changed, relayState);
      assert.ok([400, 403].includes(seen.status), `${name}: ${seen.status}`);
      assert.deepEqual([seen.location, seen.cookies], ['', []], name);
    }
  });

  test('real responses are used once, in the browser and for the request that they are for', async () => {
    const jar = new Jar();
    const first = await answerFor('mallory', jar);
    const second = await answerFor('mallory');
    assert.equal((await post(app, first.xml, second.relayState)).status, 403);
    assert.equal((await post(app, first.xml, '')).status, 403);
    const accepted = await post(app, first.xml, first.relayState);
    assert.equal(accepted.status, 302);
    assert.equal((await post(app, first.xml, first.relayState)).status, 403);
    assert.equal((await finish(app, accepted, '')).status, 403, 'another browser');
    assert.ok(codeOf(await jar.go(`${app.address}${accepted.location}`)));
  });

  test('SimpleSAMLphp signs in a user of Chromium, where cookies are withheld between sites', {
    skip: browserSkip,
  }, async () => {
    const visits: string[] = [];
    const application = createApplication((request, response) => {
      visits.push(request.url ?? '');
      response.end('the application');
    });
    await new Promise<void>((done) => application.listen(0, '127.0.0.1', done));
    const redirect_uri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
    const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(signInAddress({ redirect_uri }));
      await page.fill('[name=username]', 'grace');
      await page.fill('[name=password]', people.grace.password);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${redirect_uri}**`);
      const [returned = ''] = visits;
      const fields = new URL(returned, redirect_uri).searchParams;
      assert.ok(fields.get('code'), returned);
      assert.equal(fields.get('state'), 'kept');
      const cookies = await page.context().cookies(app.address);
      const session = cookies.find((one) => one.name === 'ploidy-session');
      assert.deepEqual([session?.httpOnly, session?.sameSite], [true, 'Lax']);
    } finally {
      await browser.close();
      application.closeAllConnections();
      application.close();
    }
  });
});

describe('SAML sign-in with SimpleSAMLphp that encrypts', { skip: simplesamlSkip }, () => {
  let app: TestApp;
  before(async () => {
    const port = await freePort();
    const settings = { PLOIDY_PORT: String(port), PLOIDY_PUBLIC_URL: `http://localhost:${port}` };
    app = await openTestApp({ ...settings, PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' });
  });
  after(() => app?.stop());

  /** Runs a sign-in to its response, encrypted with AES-128-CBC, its only method. */
  async function withAnswer(
    signsResponse: boolean,
    check: (answer: { xml: string; relayState: string }, jar: Jar) => Promise<void>,
  ): Promise<void> {
    const metadata = await (await fetch(`${app.address}/v1/saml/metadata?encryption=true`)).text();
    const [certificate = '', encryptionCertificate = ''] = [
      ...metadata.matchAll(/<ds:X509Certificate>([^<]+)</g),
    ].map(([, base64 = '']) => base64);
    const provider = await startSimplesaml({
      entityId: `${app.address}/v1/saml/metadata`,
      acsUrl: `${app.address}/v1/saml/acs`,
      certificate,
      encryptionCertificate,
      signsResponse,
    });
    try {
      const { id } = await makeClient(app, {
        identityProviders: ['SAML'],
        customIdentityProvider: { metadataUrl: provider.metadataUrl },
      });
      const jar = new Jar();
      const address = `${app.address}/v1/saml/sign-in?request=${encodeURIComponent(authorizationQuery(id))}`;
      const answer = await answerOf(provider, address, 'grace', jar);
      assert.ok(answer.xml.includes('EncryptedAssertion') && answer.xml.includes('aes128-cbc'), answer.xml);
      assert.ok(!answer.xml.includes(people.grace.mail), answer.xml);
      await check(answer, jar);
    } finally {
      await provider.stop();
    }
  }

  test('a user signs in with an encrypted assertion in a signed response', async () => {
    await withAnswer(true, async ({ xml, relayState }, jar) => {
      const accepted = await post(app, xml, relayState);
      assert.ok(codeOf(await jar.go(`${app.address}${accepted.location}`)));
      const users = app.people.records.read.selectFrom('users').select('email');
      assert.equal((await users.where('email', '=', people.grace.mail).execute()).length, 1);
    });
  });

  test('without that signature it is refused, and the page explains why', async () => {
    await withAnswer(false, async ({ xml, relayState }) => {
      const seen = await post(app, xml, relayState);
      assert.equal(seen.status, 403);
      assert.match(seen.text, /AES-CBC in a response that is not signed itself.*SAML_ENCRYPTED/s);
    });
  });

  test('changed encrypted responses are refused', async () => {
    await withAnswer(true, async ({ xml, relayState }) => {
      const [, value = ''] =
        /<\/dsig:KeyInfo>\s*<xenc:CipherData>\s*<xenc:CipherValue>([^<]+)/.exec(xml) ?? [];
      assert.ok(value.length > 1000, xml);
      const changed = (value.startsWith('A') ? 'B' : 'A') + value.slice(1);
      assert.match((await post(app, xml.replace(value, changed), relayState)).text, /SAML_SIGNATURE/);
    });
  });
});
