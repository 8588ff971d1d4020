import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { isOpen } from '../../access/operations.ts';
import { routeCatalogue } from '../../app/route-catalogue.ts';
import { readConfig } from '../../config/config.ts';
import {
  FormBrowser,
  makePerson,
  signInTo,
} from '../../domains/authentication/sign-in/tests/form-browser.fixture.ts';

const requestsPerMinute = 40;
const routes = routeCatalogue(readConfig({})).filter(({ operation }) => isOpen(operation));
const paths = [...new Map(routes.map((one) => [`${one.method} ${one.path}`, one])).values()].filter(
  ({ path }) => !path.endsWith('/token') || !path.includes('external'),
);

describeApp(
  'open routes that one client floods',
  (app) => {
    before(() => makePerson(app, 'other@example.test'));

    test('a client that floods every open route is answered 429 where it fails', async () => {
      assert.ok(routes.length > 30);
      const statuses = new Set<number>();
      for (const { method, path } of paths) {
        const address = `${app.address}${path.replace(/:\w+/g, 'none')}`;
        const answers = Array.from({ length: requestsPerMinute + 1 }, () =>
          fetch(address, { method: method === 'UPDATE' ? 'POST' : method, redirect: 'manual' }),
        );
        for (const answer of await Promise.all(answers)) {
          statuses.add(answer.status);
          await answer.body?.cancel();
        }
      }
      assert.ok(statuses.has(429) && ![...statuses].some((status) => status >= 500), [...statuses].join());
    });

    test('a browser that guesses passwords has to wait', async () => {
      const browser = new FormBrowser(app.address);
      const statuses = new Set<number>();
      for (let attempt = 0; attempt < 10; attempt += 1)
        statuses.add((await signInTo(browser, 'nobody@example.test', 'a wrong guess')).status);
      assert.deepEqual([...statuses], [400, 429]);
    });

    test('many browsers of an address may guess wrong without an end to the sign-ins of others', async () => {
      const guesses = Array.from({ length: 25 }, (_, at) =>
        signInTo(new FormBrowser(app.address), `guessed-${at}@example.test`, 'a wrong guess'),
      );
      const statuses = new Set((await Promise.all(guesses)).map(({ status }) => status));
      assert.deepEqual([...statuses], [400]);
    });

    test('another browser behind the same address signs in', async () => {
      assert.equal((await signInTo(new FormBrowser(app.address), 'other@example.test')).status, 302);
    });

    test('a signed-in caller behind the same address is answered', async () => {
      assert.equal((await app.call('GET', '/v1/projects')).status, 200);
    });

    test('keys, discovery and the page to sign in are given to others behind the same address', async () => {
      for (const path of ['/v1/oauth/jwks', '/.well-known/openid-configuration', '/v1/oauth/sign-in'])
        assert.equal((await app.call('GET', path, { key: undefined })).status, 200, path);
    });

    test('a program behind the same address that has no credentials learns where to sign in', async () => {
      const { status, headers } = await app.call('POST', '/v1/statement', { key: undefined });
      assert.equal(status, 401);
      assert.match(headers.get('www-authenticate') ?? '', /x_token_server=/);
    });

    test('a program behind the same address exchanges what it was given', async () => {
      const made = await fetch(`${app.address}/v1/oauth/device_authorization`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'ploidy-command-line' }),
      });
      assert.equal(made.status, 200);
    });
  },
  { PLOIDY_REQUESTS_PER_MINUTE: String(requestsPerMinute) },
);
