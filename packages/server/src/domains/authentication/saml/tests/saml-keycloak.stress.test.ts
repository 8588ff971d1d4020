/** Real identity provider: Keycloak of the Maven registry, configured as its administrators do it. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { missing } from '../../../../../../../test/clients/missing.ts';
import { openTestApp, type TestApp } from '../../../../../../../test/support/app.ts';
import { freePort } from '../../../../../../../test/support/free-port.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { callback, makeClient } from '../../sign-in/tests/signed-in.fixture.ts';
import { authorizationQuery, codeOf, fieldsOf, Jar, post } from './saml-browser.fixture.ts';

const run = promisify(execFile);
const artifact = 'org.keycloak:keycloak-quarkus-dist:26.7.3:zip';
const email = 'grace@keycloak.example';
const password = 'grace-password';
/** Polling interval at Keycloak's first start, which compiles its configuration: seconds on a free machine, a minute on a busy one. */
const looksMs = 500;
const skip = await missing('java', 'jar', 'mvn');

/** Realm with one service, whose requests must be signed, and one user. */
function realmOf(entityId: string, acsUrl: string, certificate: string): object {
  const mapper = (name: string, attribute: string) => ({
    name,
    protocol: 'saml',
    protocolMapper: 'saml-user-property-mapper',
    config: {
      'user.attribute': attribute,
      'attribute.name': name,
      'attribute.nameformat': 'Basic',
      'friendly.name': name,
    },
  });
  const service = {
    ...{
      clientId: entityId,
      protocol: 'saml',
      enabled: true,
      redirectUris: [acsUrl],
      frontchannelLogout: true,
    },
    attributes: {
      'saml.assertion.signature': 'true',
      'saml.server.signature': 'true',
      'saml.client.signature': 'true',
      'saml.signing.certificate': certificate,
      'saml.signature.algorithm': 'RSA_SHA256',
      'saml.force.post.binding': 'true',
      saml_assertion_consumer_url_post: acsUrl,
      saml_name_id_format: 'persistent',
    },
    protocolMappers: [mapper('mail', 'email'), mapper('displayName', 'firstName')],
  };
  const user = {
    ...{
      username: 'grace',
      enabled: true,
      email,
      emailVerified: true,
      firstName: 'Grace',
      lastName: 'Hopper',
    },
    credentials: [{ type: 'password', value: password, temporary: false }],
  };
  return { realm: 'hospital', enabled: true, sslRequired: 'none', clients: [service], users: [user] };
}

describe('SAML sign-in with Keycloak', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-keycloak-'));
  let app: TestApp;
  let client: { id: string };
  let stop: (() => Promise<void>) | undefined;

  before(async () => {
    const port = await freePort();
    const settings = { PLOIDY_PORT: String(port), PLOIDY_PUBLIC_URL: `http://localhost:${port}` };
    app = await openTestApp({ ...settings, PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' });
    const metadata = await (await fetch(`${app.address}/v1/saml/metadata`)).text();
    const certificate = /<ds:X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? '';
    const realm = realmOf(`${app.address}/v1/saml/metadata`, `${app.address}/v1/saml/acs`, certificate);
    const metadataUrl = await start(realm);
    client = await makeClient(app, {
      identityProviders: ['SAML'],
      customIdentityProvider: { metadataUrl },
    });
  });
  after(async () => {
    await stop?.();
    await app?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts Keycloak with a realm; returns the address of its metadata. */
  async function start(realm: object): Promise<string> {
    await run('mvn', [
      '-q',
      '-B',
      'dependency:copy',
      `-Dartifact=${artifact}`,
      `-DoutputDirectory=${folder}`,
    ]);
    const [archive = ''] = readdirSync(folder);
    await run('jar', ['xf', archive], { cwd: folder });
    const home = join(folder, archive.replace('quarkus-dist-', '').replace('.zip', ''));
    mkdirSync(join(home, 'data/import'), { recursive: true });
    writeFileSync(join(home, 'data/import/hospital.json'), JSON.stringify(realm));
    const port = await freePort();
    const options = ['start-dev', '--import-realm', '--http-host=127.0.0.1', `--http-port=${port}`];
    const child = spawn('bash', [join(home, 'bin/kc.sh'), ...options], { stdio: 'ignore', detached: true });
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    stop = async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    };
    const metadataUrl = `http://127.0.0.1:${port}/realms/hospital/protocol/saml/descriptor`;
    const answers = () =>
      fetch(metadataUrl).then(
        (reply) => reply.status === 200,
        () => false,
      );
    // Each call of `until` gives up after a minute.
    const isUp = () => until(answers, 'Keycloak answers with its metadata', looksMs);
    await isUp().catch(isUp).catch(isUp).catch(isUp);
    return metadataUrl;
  }

  /** Signs in at Keycloak; returns what its page would post to the service. */
  async function answerFor(jar: Jar): Promise<{ xml: string; relayState: string }> {
    const request = encodeURIComponent(authorizationQuery(client.id));
    const page = await jar.go(`${app.address}/v1/saml/sign-in?request=${request}`);
    const form = /<form[^>]*action="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const answered = form === '' ? page : await jar.go(form, { username: 'grace', password });
    const { SAMLResponse = '', RelayState = '' } = fieldsOf(answered.text);
    assert.notEqual(SAMLResponse, '', answered.text);
    return { xml: Buffer.from(SAMLResponse, 'base64').toString(), relayState: RelayState };
  }

  test('a user signs in with the name and address of Keycloak, and a response counts once', async () => {
    const jar = new Jar();
    const { xml, relayState } = await answerFor(jar);
    const accepted = await post(app, xml, relayState);
    const seen = await jar.go(`${app.address}${accepted.location}`);
    assert.ok(seen.location.startsWith(callback) && codeOf(seen), accepted.text);
    const user = await app.people.records.read
      .selectFrom('users')
      .selectAll()
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    assert.equal(JSON.parse(user.profile).name, 'Grace');
    assert.equal((await post(app, xml, relayState)).status, 403);
  });

  test('a response of Keycloak that was changed is refused', async () => {
    const { xml, relayState } = await answerFor(new Jar());
    const changed = xml.replaceAll(email, 'mallory@keycloak.example');
    assert.notEqual(changed, xml);
    assert.match((await post(app, changed, relayState)).text, /SAML_SIGNATURE/);
  });
});
