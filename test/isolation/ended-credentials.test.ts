/** Addresses and grants that the service hands out, after the credential that asked for them has ended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purposes } from '../../packages/server/src/domains/identity/addresses/index.ts';
import { verifySignedUrl } from '../../packages/server/src/platform/blobs/index.ts';
import { describeOnSqlite } from '../support/app.ts';
import { asked } from './catalogue.ts';
import { doorless, doors } from './doors.ts';
import { endedCredentialTests, refusedAtOnce } from './ended-credentials.ts';
import { householdSettings, openHousehold } from './world.ts';

test('every route that a signature opens has a door here, or a reason to have none', () => {
  const open = asked.filter(({ needs }) => needs === 'signature').map(({ name }) => name);
  const opened = new Set(Object.values(doors).map(({ opens }) => opens));
  assert.deepEqual(open.sort(), [...opened, ...Object.keys(doorless)].sort());
});

describeOnSqlite(
  'credentials that have ended',
  (app) => {
    test('every answer that holds an address or a grant is one of a door, and so is every purpose', async () => {
      const { call, ids } = await openHousehold(app, 'handing-out');
      const key = app.app.core.secrets.derive('signed-urls');
      const found: string[] = [];
      const signed = new Set<string>();
      for (const { name, route, needs, case: one } of asked) {
        if (needs === 'public' || needs === 'signature' || route.method === 'DELETE') continue;
        const { path, ...sent } = one.ask(ids);
        const { text } = await call(route.method, path, sent);
        if (/[?&]signature=|X-Amz-Signature=|s3\.session-token/.test(text)) found.push(name);
        for (const [, url = ''] of text.matchAll(/"https?:\/\/[^/"]+([^"]*signature=[^"]*)"/g))
          for (const purpose of purposes)
            if (verifySignedUrl(key, purpose, url, Date.now()).valid) signed.add(purpose);
      }
      assert.deepEqual([...signed].sort(), [...purposes].sort());
      // The export of the household has no rows, and its list of objects names nothing.
      const empty = [
        ...['GET /v1/exports/:id', 'GET /:account/v1/fhir/:project/$export/:id'],
        'POST /ga4gh/drs/v1/objects/access',
      ];
      const giving = Object.keys(doors).filter((name) => !empty.includes(name));
      assert.deepEqual(found.sort(), giving.sort());
    });

    // One of each kind; the others are in `ended-credentials.stress.test.ts`.
    endedCredentialTests(app, refusedAtOnce, [
      'an API key that is revoked',
      'a session that is signed out',
      'a token whose consent is withdrawn',
    ]);
  },
  householdSettings,
);
