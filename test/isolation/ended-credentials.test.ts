/** Addresses and grants that the service hands out, after the credential that asked for them has ended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purposes } from '../../packages/server/src/domains/identity/addresses/index.ts';
import { describeApp } from '../support/app.ts';
import { asked } from './catalogue.ts';
import { doorless, doors } from './doors.ts';
import { endedCredentialTests } from './ended-credentials.ts';
import { householdSettings, openHousehold } from './world.ts';

test('every route that a signature opens has a door here, or a reason to have none', () => {
  const open = asked.filter(({ needs }) => needs === 'signature').map(({ name }) => name);
  const opened = new Set(Object.values(doors).map(({ opens }) => opens));
  assert.deepEqual(open.sort(), [...opened, ...Object.keys(doorless)].sort());
});

test('every purpose of a signed address is one of a door', () => {
  const methods = Object.values(doors).map(({ opens }) => opens.split(' ')[0]);
  for (const purpose of purposes) assert.ok(methods.includes(purpose.split(' ')[0]), purpose);
  const signed = new Set(Object.values(doors).map(({ opens }) => opens.replace(/reads|variants/, 'blocks')));
  assert.equal(signed.size, purposes.length + 1, 'and the objects of tables have a grant');
});

describeApp(
  'credentials that have ended',
  (app) => {
    test('every answer that holds an address or a grant is one of a door', async () => {
      const { call, ids } = await openHousehold(app, 'handing-out');
      const found: string[] = [];
      for (const { name, route, needs, case: one } of asked) {
        if (needs === 'public' || needs === 'signature' || route.method === 'DELETE') continue;
        const { path, ...sent } = one.ask(ids);
        const { text } = await call(route.method, path, sent);
        if (/[?&]signature=|X-Amz-Signature=|s3\.session-token/.test(text)) found.push(name);
      }
      // The export of the household has no rows.
      const giving = Object.keys(doors).filter((name) => name !== 'GET /v1/exports/:id');
      assert.deepEqual(found.sort(), giving.sort());
    });

    endedCredentialTests(app, {
      at: (url) => url,
      refused: async (use, name) => assert.equal(await use(), 403, name),
    });
  },
  householdSettings,
);
