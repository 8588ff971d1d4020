import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describeOnSqlite } from '../../../../../test/support/app.ts';
import { smallResources } from '../../../../../test/support/fhir/sample-resources.ts';
import type { FhirServerOptions } from '../../../../../test/support/fhir/server.ts';
import { HeldRemovals } from '../../../../../test/support/held-removals.ts';
import { EhrProject, ehrSettings } from './ehr-project.fixture.ts';
import { ecKey, type KeyPair, rsaKey } from './key-pairs.fixture.ts';

const id = 'backend-1';
const base = { name: 'Ward', apiBaseUrl: 'https://ehr.example/fhir' };
const settingsOf = (key: KeyPair) => ({ apiAuthType: 'private_key_jwt', apiKey: id, apiSecret: key.pem });

describeOnSqlite(
  'signing in to EHR systems with a key',
  (app) => {
    const made: EhrProject[] = [];
    const make = async (
      name: string,
      settings: object,
      oauth2: Partial<NonNullable<FhirServerOptions['oauth2']>> = {},
    ) => {
      const resources = smallResources(6, 1, name.toLowerCase().replaceAll(' ', '-'));
      const options = { resources, pageSizeMax: 2, oauth2: { id, ...oauth2 } };
      const ehr = await EhrProject.make(app.call, name, options, settings);
      made.push(ehr);
      ehr.server.tokens.assertions.jwksUrl = (await ehr.ask('GET', '')).body.jwksUrl ?? '';
      return ehr;
    };
    const failureOf = async (ehr: EhrProject) => {
      const { state, error } = await ehr.end(await ehr.begin());
      assert.equal(state, 'failed');
      return error ?? { code: '', message: '' };
    };
    after(() => Promise.all(made.map(({ server }) => server.stop())));

    for (const [alg, makeKey] of [
      ['RS384', rsaKey],
      ['ES384', ecKey],
    ] as const)
      test(`${alg}: each token needs a new assertion, which the system verifies with the fetched key`, async () => {
        const ehr = await make(`Signed ${alg}`, settingsOf(makeKey()));
        ehr.server.fail(/_offset=4/, { status: 401 });
        assert.deepEqual((await ehr.pull()).counts, { Patient: 6, Observation: 6 });
        const { assertions, given, asked } = ehr.server.tokens;
        assert.deepEqual([given.length, assertions.seen.length, new Set(assertions.seen).size], [2, 2, 2]);
        assert.deepEqual(asked, ['system/*.read', 'system/*.read']);
        const kid = (await ehr.ask('GET', '')).body.jwks.keys[0].kid;
        for (const assertion of assertions.seen) {
          assert.deepEqual(decodeProtectedHeader(assertion), { alg, kid, typ: 'JWT' });
          const { exp = 0, iat = Infinity, jti, ...claims } = decodeJwt(assertion);
          assert.deepEqual(claims, { iss: id, sub: id, aud: `${ehr.server.url}/token` });
          const now = Date.now() / 1000;
          assert.ok(jti && iat <= now - 10 && exp > now && exp - iat <= 300);
        }
      });

    test('a token endpoint stated in the CapabilityStatement is used', async () => {
      await (await make('Stated', settingsOf(ecKey()), { stated: 'metadata' })).pull();
    });

    test('no response, list or event holds the private key; the public key is public at jwksUrl', async () => {
      const key = rsaKey();
      const jwk = JSON.stringify(key.privateKey.export({ format: 'jwk' }));
      for (const apiSecret of [key.pem, jwk]) {
        const created = await app.call('POST', '/v1/ehrs', {
          body: { ...base, ...settingsOf(key), apiSecret },
        });
        assert.equal(created.status, 201, created.text);
        const { jwks, jwksUrl } = created.body;
        assert.equal(created.body.apiKey, id);
        assert.equal(jwksUrl, `${app.address}/v1/ehrs/${created.body.id}/jwks`);
        const fetched = await fetch(jwksUrl);
        assert.deepEqual([fetched.status, await fetched.json()], [200, jwks]);
        assert.equal(fetched.headers.get('cache-control'), 'public, max-age=300');
        assert.deepEqual(Object.keys(jwks.keys[0]).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
        const path = `/v1/ehrs/${created.body.id}`;
        const answers = [created];
        for (const [method, at] of [
          ['GET', path],
          ['PATCH', path],
          ['GET', '/v1/ehrs?pageSize=100'],
          ['GET', '/v1/audit-events?pageSize=1000'],
        ] as const)
          answers.push(await app.call(method, at, method === 'PATCH' ? { body: { name: 'Again' } } : {}));
        const { d = '' } = key.privateKey.export({ format: 'jwk' });
        for (const { text, status } of answers) {
          assert.equal(status < 300, true);
          for (const part of [d, key.pem.split('\n')[3] ?? '', 'PRIVATE KEY'])
            assert.ok(!text.includes(part), text);
        }
        assert.equal('apiSecret' in (await app.call('GET', path)).body, false);
      }
    });

    test('the public key is removed with the configuration, and at the start of the removal of its account', async () => {
      const { key } = await app.people.owner('leaving');
      const sender = { key, account: 'leaving' };
      const body = { ...base, ...settingsOf(ecKey()) };
      const status = async ({ jwksUrl }: { jwksUrl: string }) => (await fetch(jwksUrl)).status;
      const first = (await app.call('POST', '/v1/ehrs', { ...sender, body })).body;
      const second = (await app.call('POST', '/v1/ehrs', { ...sender, body })).body;
      await app.call('DELETE', `/v1/ehrs/${first.id}`, sender);
      assert.deepEqual([await status(first), await status(second)], [404, 200]);
      const removals = new HeldRemovals(app.people.records);
      await removals.begin('account', 'leaving');
      assert.equal(await status(second), 404);
      await removals.letGo();
    });

    test('a private key never becomes a password: another apiAuthType starts without it', async () => {
      const ehr = await app.call('POST', '/v1/ehrs', { body: { ...base, ...settingsOf(ecKey()) } });
      const change = (body: object) => app.call('PATCH', `/v1/ehrs/${ehr.body.id}`, { body });
      assert.equal((await change({ apiAuthType: 'oauth2' })).status, 400);
      const basic = await change({ apiAuthType: 'basic' });
      assert.deepEqual([basic.status, basic.body.apiSecret, basic.body.jwks], [200, undefined, undefined]);
      assert.equal((await fetch(`${app.address}/v1/ehrs/${ehr.body.id}/jwks`)).status, 404);
      const refused = await change({ apiAuthType: 'private_key_jwt' });
      assert.deepEqual([refused.status, refused.body.details[0].path], [400, 'body/apiSecret']);
    });

    test('a secret that is no private key is refused when entered, and only a key may have several lines', async () => {
      for (const [body, words] of [
        [{ ...settingsOf(ecKey()), apiSecret: 'a password' }, /private key that is not encrypted: PEM/],
        [{ ...settingsOf(ecKey()), apiSecret: undefined }, /is needed for private_key_jwt/],
        [{ ...settingsOf(ecKey()), apiKey: undefined }, /is needed for private_key_jwt: the id/],
        [{ ...settingsOf(ecKey()), apiAuthType: 'oauth2' }, /must have one line/],
      ] as const) {
        const refused = await app.call('POST', '/v1/ehrs', { body: { ...base, ...body } });
        assert.equal(refused.status, 400);
        assert.match(refused.text, words);
        assert.ok(!refused.text.includes('a password'));
      }
    });

    test('a replaced key is published and used at once', async () => {
      const ehr = await make('Rotated', settingsOf(rsaKey()));
      const before = (await ehr.ask('GET', '')).body.jwks.keys[0];
      const { tokens } = ehr.server;
      const replaced = await ehr.ask('PATCH', '', { body: { apiSecret: ecKey().pem } });
      const now = replaced.body.jwks.keys;
      assert.deepEqual([now.length, now[0].alg], [1, 'ES384']);
      assert.notEqual(now[0].kid, before.kid);
      assert.deepEqual(await (await fetch(replaced.body.jwksUrl)).json(), { keys: now });
      await ehr.pull();
      assert.ok(tokens.assertions.seen.every((one) => decodeProtectedHeader(one).kid === now[0].kid));
    });

    test('a sync signs with the key of the time of each token request', async () => {
      const ehr = await make('Rotated within', settingsOf(ecKey()));
      const next = ecKey();
      ehr.server.hold(/_offset=4/, async () => {
        await ehr.ask('PATCH', '', { body: { apiSecret: next.pem } });
        ehr.server.tokens.revokeAll();
      });
      await ehr.pull();
      const kids = ehr.server.tokens.assertions.seen.map((one) => decodeProtectedHeader(one).kid);
      assert.equal(kids.length, 2);
      assert.equal(kids[1], (await ehr.ask('GET', '')).body.jwks.keys[0].kid);
      assert.notEqual(kids[0], kids[1]);
    });

    test('an unregistered key is reported with its kid and without the assertion', async () => {
      const ehr = await make('Unregistered', settingsOf(ecKey()));
      const another = await make('Another', settingsOf(ecKey()));
      ehr.server.tokens.assertions.jwksUrl = another.server.tokens.assertions.jwksUrl;
      const { code, message } = await failureOf(ehr);
      const { kid } = (await ehr.ask('GET', '')).body.jwks.keys[0];
      assert.equal(code, 'NO_TOKEN');
      assert.match(message, /status 401, invalid_client.*apiKey.*is registered/);
      assert.ok(message.includes(kid) && !message.includes(ehr.server.tokens.assertions.seen[0] ?? ''));
    });

    test('a key of an algorithm that the system does not accept is not tried', async () => {
      const configuration = { token_endpoint_auth_signing_alg_values_supported: ['RS384', 'hostile'] };
      const ehr = await make('Algorithm', settingsOf(ecKey()), { configuration });
      const { code, message } = await failureOf(ehr);
      assert.equal(code, 'NO_TOKEN');
      assert.match(message, /accepts signatures by RS384, and the key in apiSecret makes ES384/);
      assert.equal(ehr.server.tokens.assertions.seen.length, 0);
    });

    test('a system that accepts only secrets, or only keys, is reported with its methods', async () => {
      const offers = (...methods: string[]) => ({
        configuration: { token_endpoint_auth_methods_supported: methods },
      });
      const secretOnly = { secret: 'shared', ...offers('client_secret_basic') };
      const first = await failureOf(await make('Secret only', settingsOf(ecKey()), secretOnly));
      assert.match(
        first.message,
        /by client_secret_basic only, and apiAuthType is private_key_jwt: .*oauth2/,
      );
      const secret = { apiAuthType: 'oauth2', apiKey: id, apiSecret: 'hidden-word' };
      const second = await failureOf(await make('Key only', secret, offers('private_key_jwt', 'hostile')));
      assert.match(second.message, /by private_key_jwt only, and apiAuthType is oauth2: .*private_key_jwt/);
      assert.ok(!/hidden-word|hostile/.test(second.message));
    });

    const some = 'system/Observation.rs system/Patient.rs';
    const listing = { configuration: { scopes_supported: some.split(' ') } };
    const everything = ['system/*.read', 'system/*.rs'];

    test('everything is requested first, then the listed types, then no scope', async () => {
      for (const [scope, asked] of [
        ['system/*.read', everything.slice(0, 1)],
        [some, [...everything, some]],
        ['', [...everything, some, '']],
      ] as const) {
        const ehr = await make(`Scope ${asked.length}`, settingsOf(ecKey()), { ...listing, scopes: [scope] });
        assert.deepEqual((await ehr.pull()).warnings, []);
        assert.deepEqual(ehr.server.tokens.asked, asked);
      }
    });

    test('refused scopes are reported, whatever the system answers to a request without one', async () => {
      for (const error of ['invalid_scope', 'invalid_request']) {
        const unscoped = { ...listing, scopes: [], refusesNone: error };
        const none = await make(`None ${error}`, settingsOf(ecKey()), unscoped);
        const { code, message } = await failureOf(none);
        assert.equal(code, 'NO_TOKEN');
        const pattern =
          /invalid_scope.*none of these scopes: system\/\*\.read; system\/\*\.rs; system\/Observation\.rs system\/Patient\.rs\. /;
        assert.match(message, pattern);
      }
    });

    test('a token of less than the requested scope is used, with a warning that names the types', async () => {
      const ehr = await make('Less', settingsOf(ecKey()), { given: 'openid system/Patient.rs' });
      const { warnings, counts } = await ehr.pull();
      assert.equal(counts['Patient'], 6);
      assert.deepEqual(warnings, [
        {
          message:
            'The EHR system lets the client read some types only. Give it there the scopes for: Observation.',
        },
      ]);
    });
  },
  ehrSettings,
);
