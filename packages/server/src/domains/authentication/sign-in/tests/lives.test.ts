/** Ends of the credentials of a sign-in: sessions that are idle or old, codes, and refresh tokens. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../../test/support/app.ts';
import { TokenFlow } from '../../oauth/tests/token-flow.fixture.ts';
import { FormBrowser, makePerson, signInTo } from './form-browser.fixture.ts';

const hourMs = 3_600_000;

describeApp('lives of sessions, codes and tokens', (app) => {
  const email = 'ending@example.test';
  let user = '';
  before(async () => {
    user = await makePerson(app, email);
  });

  /** A browser whose session was begun and used as long ago as given; nothing has asked with it yet. */
  const signedInBefore = async (ago: { begunMs: number; seenMs: number }): Promise<FormBrowser> => {
    const browser = new FormBrowser(app.address);
    assert.equal((await signInTo(browser, email)).status, 302);
    const { records } = app.people;
    const [newest] = await records.read
      .selectFrom('sessions')
      .select(['id', 'created_at', 'expires_at'])
      .where('user_id', '=', user)
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    assert.ok(newest);
    await records.transact((tx) =>
      tx
        .updateTable('sessions')
        .set({
          created_at: newest.created_at - ago.begunMs,
          expires_at: newest.expires_at - ago.begunMs,
          seen_at: newest.created_at - ago.seenMs,
        })
        .where('id', '=', newest.id)
        .execute(),
    );
    return browser;
  };
  const statusOf = async (browser: FormBrowser): Promise<number> =>
    (await browser.open('/v1/accounts')).status;

  // asvs: 7.3.1
  test('a session that was not used for twelve hours is refused, a used one is not', async () => {
    const idle = await signedInBefore({ begunMs: 13 * hourMs, seenMs: 12 * hourMs + 1000 });
    assert.equal(await statusOf(idle), 401);
    const used = await signedInBefore({ begunMs: 13 * hourMs, seenMs: 11 * hourMs });
    assert.equal(await statusOf(used), 200);
  });

  // asvs: 7.3.2
  test('a session of seven days is refused, however lately it was used', async () => {
    const old = await signedInBefore({ begunMs: 7 * 24 * hourMs + 1000, seenMs: 0 });
    assert.equal(await statusOf(old), 401);
    const younger = await signedInBefore({ begunMs: 6 * 24 * hourMs, seenMs: 0 });
    assert.equal(await statusOf(younger), 200);
  });

  // asvs: 10.4.3
  test('a code is refused a minute after it was given', async () => {
    const flow = await TokenFlow.open(app);
    const { records } = app.people;
    const { code, verifier } = await flow.ask();
    const [grant] = await records.read
      .selectFrom('grants')
      .select(['id', 'created_at', 'code_expires_at'])
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    assert.ok(grant);
    assert.equal(Number(grant.code_expires_at) - grant.created_at, 60_000);
    await records.transact((tx) =>
      tx
        .updateTable('grants')
        .set({ code_expires_at: Date.now() - 1 })
        .where('id', '=', grant.id)
        .execute(),
    );
    const late = await flow.exchange(flow.client.id, code, verifier);
    assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant']);
  });

  test('a refresh token that was not used for its life is refused', async () => {
    const flow = await TokenFlow.open(app);
    const { refresh_token } = await flow.signIn();
    const id = String(refresh_token).split('.')[0] ?? '';
    await app.people.records.transact((tx) =>
      tx
        .updateTable('grants')
        .set({ expires_at: Date.now() - 1 })
        .where('id', '=', id)
        .execute(),
    );
    const late = await flow.refresh(refresh_token);
    assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant']);
  });
});
