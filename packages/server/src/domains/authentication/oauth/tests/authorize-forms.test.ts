/** Authorization requests in forms. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { callback, firstUser, makeClient, pkce, signedIn } from '../../sign-in/tests/signed-in.fixture.ts';

describeApp('forms at the authorization endpoint', (app) => {
  let cookie = '';
  let client: { id: string };
  before(async () => {
    cookie = await signedIn(app, await firstUser(app));
    client = await makeClient(app);
  });

  const base = () => ({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: callback,
    ...pkce().challenge,
  });

  const ask = (init: RequestInit) =>
    fetch(`${app.address}/v1/oauth/authorize`, { redirect: 'manual', headers: { cookie }, ...init });

  test('a form is as long as a query may be, and its unknown fields are dropped', async () => {
    const post = (more: object) =>
      ask({ method: 'POST', body: new URLSearchParams({ ...base(), ...more }), headers: {} });
    const long = await post({ state: 'x'.repeat(60_000) });
    assert.deepEqual([long.status, long.headers.get('location')], [400, null]);
    assert.match(await long.text(), /too long/);
    const unknown = await post({ unknown: 'x'.repeat(60_000) });
    assert.equal(unknown.status, 302);
    const location = unknown.headers.get('location') ?? '';
    assert.deepEqual([...new URLSearchParams(location.split('?')[1]).keys()], Object.keys(base()));
  });

  test('a form that is not UTF-8 is refused on a page, without redirect', async () => {
    const body = `${new URLSearchParams(base())}&scope=%ff`;
    const response = await ask({
      method: 'POST',
      body,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.deepEqual([response.status, response.headers.get('location')], [400, null]);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
  });

  test('a body that is no form is refused on a page, without its content', async () => {
    const response = await ask({
      method: 'POST',
      body: 'evil',
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(response.status, 415);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    const text = await response.text();
    assert.match(text, /role="alert"/);
    assert.doesNotMatch(text, /evil/);
  });
});
