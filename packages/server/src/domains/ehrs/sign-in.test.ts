import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeOnSqlite } from '../../../../../test/support/app.ts';
import { smallResources } from '../../../../../test/support/fhir/sample-resources.ts';
import type { FhirServerOptions } from '../../../../../test/support/fhir/server.ts';
import { EhrProject, ehrSettings } from './ehr-project.fixture.ts';

const id = 'client-1';
const secret = 'p%25 a+ss:word/ü';

describeOnSqlite(
  'signing in to EHR systems',
  (app) => {
    const made: EhrProject[] = [];
    const make = async (name: string, options: Omit<FhirServerOptions, 'resources'>, settings: object) => {
      const resources = smallResources(6, 1, name.toLowerCase());
      const one = await EhrProject.make(app.call, name, { resources, pageSizeMax: 2, ...options }, settings);
      made.push(one);
      return one;
    };
    after(() => Promise.all(made.map(({ server }) => server.stop())));

    test('header sends the key as entered, basic sends name and password', async () => {
      const header = await make('Header', { authorization: 'ApiKey 123' }, { apiKey: 'ApiKey 123' });
      await header.pull();
      const authorization = `Basic ${Buffer.from(`reader:${secret}`).toString('base64')}`;
      const settings = { apiAuthType: 'basic', apiKey: 'reader', apiSecret: secret };
      await (await make('Basic', { authorization }, settings)).pull();
    });

    test('a refused key fails the sync at once, with a message that does not hold it', async () => {
      const ehr = await make('Refused', { authorization: 'right' }, { apiKey: 'very-wrong-key' });
      const sync = await ehr.end(await ehr.begin());
      assert.deepEqual([sync.state, sync.error?.code], ['failed', 'UNAUTHORIZED']);
      assert.ok(!JSON.stringify(sync).includes('very-wrong-key'));
      assert.equal(ehr.server.seen.filter(({ status }) => status === 401).length, 1);
    });

    const bundle = (url?: string) => {
      const link = url === undefined ? [] : [{ relation: 'next', url }];
      return { status: 200, body: JSON.stringify({ resourceType: 'Bundle', type: 'searchset', link }) };
    };

    test('a next link outside the base gets the key, since the naming system has the key', async () => {
      const ehr = await make('Beside', { authorization: 'key' }, { apiKey: 'key' });
      for (const path of ['/fhir-of-another/Patient?p=2', '/Patient?p=2', '/fhir/..%2fother/Patient?p=2']) {
        const { href } = new URL(path, ehr.server.url);
        const before = ehr.server.seen.length;
        ehr.server.fail(/GET Patient/, bundle(href));
        await ehr.pull({ full: true });
        const asked = ehr.server.seen.slice(before).filter(({ url }) => url !== '' && href.endsWith(url));
        assert.deepEqual(
          asked.map(({ authorization }) => authorization),
          ['key'],
          path,
        );
      }
    });

    test('a next link at another origin is never requested; one at or below the base gets the key', async () => {
      const ehr = await make('Origin', { authorization: 'key' }, { apiKey: 'key' });
      const other = await make('Other origin', {}, {});
      const renamed = ehr.server.url.replace('127.0.0.1', 'localhost');
      const secure = ehr.server.url.replace('http:', 'https:');
      for (const place of [other.server.url, renamed, secure]) {
        ehr.server.fail(/GET Patient/, bundle(`${place}/Patient?p=2`));
        const sync = await ehr.end(await ehr.begin({ full: true }));
        assert.deepEqual([sync.state, sync.error?.code], ['failed', 'ELSEWHERE'], place);
      }
      assert.ok(![...ehr.server.seen, ...other.server.seen].some(({ url }) => url.includes('p=2')));
      for (const next of ['?_getpages=2', '/page/2']) {
        const match = next === '/page/2' ? /GET page\/2/ : /GET \?_getpages=2/;
        ehr.server.fail(/GET Patient/, bundle(`${ehr.server.url}${next}`));
        ehr.server.fail(match, bundle());
        await ehr.pull({ full: true });
        assert.equal(ehr.server.answered(match)[0]?.authorization, 'key', next);
      }
    });

    test('pages outside the base that refuse the key fail the sync', async () => {
      const ehr = await make('Closed', { authorization: 'key' }, { apiKey: 'key' });
      ehr.server.fail(/GET Patient/, bundle(new URL('/closed', ehr.server.url).href));
      ehr.server.fail(/closed/, { status: 401 });
      const sync = await ehr.end(await ehr.begin());
      assert.deepEqual([sync.state, sync.error?.code], ['failed', 'UNAUTHORIZED']);
    });

    for (const stated of ['smart', 'metadata'] as const)
      test(`oauth2 requests one token at the stated endpoint (${stated})`, async () => {
        const settings = { apiAuthType: 'oauth2', apiKey: id, apiSecret: secret };
        // Form-encoded before joining (RFC 6749 §2.3.1).
        const oauth2 = { id, secret: new URLSearchParams({ s: secret }).toString().slice(2), stated };
        const ehr = await make(`Token ${stated}`, { oauth2 }, settings);
        await ehr.pull();
        assert.equal(ehr.server.tokens.given.length, 1);
      });

    test('a token that stops working is replaced, and an expired one is not used', async () => {
      const settings = { apiAuthType: 'oauth2', apiKey: id, apiSecret: 'plain' };
      const ehr = await make('Renewed', { oauth2: { id, secret: 'plain' } }, settings);
      ehr.server.fail(/_offset=4/, { status: 401 });
      const sync = await ehr.pull();
      assert.deepEqual(sync.counts, { Patient: 6, Observation: 6 });
      assert.equal(ehr.server.tokens.given.length, 2);
      ehr.server.tokens.revokeAll();
      await ehr.pull();
      assert.equal(ehr.server.tokens.given.length, 3);
    });

    test('a refused client and a missing token endpoint are reported', async () => {
      const settings = { apiAuthType: 'oauth2', apiKey: id, apiSecret: 'wrong-secret' };
      const refused = await make('Stranger', { oauth2: { id, secret: 'right' } }, settings);
      const sync = await refused.end(await refused.begin());
      assert.deepEqual(
        [sync.error?.code, JSON.stringify(sync).includes('wrong-secret')],
        ['NO_TOKEN', false],
      );
      const silent = await make('Silent', {}, settings);
      assert.equal((await silent.end(await silent.begin())).error?.code, 'NO_TOKEN_ENDPOINT');
    });
  },
  ehrSettings,
);
