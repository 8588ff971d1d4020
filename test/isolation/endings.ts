import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { signOut } from '../../packages/server/src/domains/authentication/account-security/index.ts';
import { Grants } from '../../packages/server/src/domains/authentication/oauth/index.ts';
import { TokenFlow } from '../../packages/server/src/domains/authentication/oauth/tests/token-flow.fixture.ts';
import { hashPassword } from '../../packages/server/src/domains/authentication/sign-in/passwords/index.ts';
import { Sessions } from '../../packages/server/src/domains/authentication/sign-in/sessions/index.ts';
import {
  makeClient,
  postForm,
  signedIn,
} from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import type { CallOptions, Reply, TestApp } from '../support/app.ts';
import type { Person } from '../support/people.ts';
import { type Holder, image } from './doors.ts';

/** Credential with the way in which it ends. */
interface Ending {
  holder: Holder;
  end(): Promise<void>;
  /** The session goes on: what is the user's own stays open. */
  keepsPicture?: true;
}

const minuteMs = 60_000;

/** Every way in which a credential ends, or in which its user loses what it opens. */
export const endings: Readonly<Record<string, (app: TestApp) => Promise<Ending>>> = {
  'an API key that is revoked': async (app) => {
    const holder = byKey(app, await readerOf(app));
    return { holder, end: () => done(holder.call('DELETE', `/v1/api-keys/${holder.id}`)) };
  },
  'an API key whose parent is revoked': async (app) => {
    const parent = byKey(app, await readerOf(app));
    const made = await parent.call('POST', '/v1/api-keys', { body: { name: 'child', expireInDays: 1 } });
    const holder = byKey(app, { userId: parent.userId, key: made.body.key, account: app.account });
    return { holder, end: () => done(parent.call('DELETE', `/v1/api-keys/${parent.id}`)) };
  },
  'an API key that expires': async (app) => {
    const holder = byKey(app, await readerOf(app));
    const now = Date.now();
    await app.people.records.transact((tx) =>
      tx
        .updateTable('api_keys')
        .set({ expires_at: now + 30 * minuteMs })
        .where('id', '=', holder.id)
        .execute(),
    );
    // The addresses last for an hour.
    const end = async () => void mock.method(Date, 'now', () => now + 31 * minuteMs);
    return { holder, end };
  },
  'an API key of a user who may no longer use keys': async (app) => {
    const reader = await readerOf(app);
    return { holder: byKey(app, reader), end: () => app.people.withdraw(reader) };
  },
  'an API key of a user who leaves the account': async (app) => {
    const reader = await readerOf(app);
    return { holder: byKey(app, reader), end: () => remove(app, reader) };
  },
  'an API key of a user whom the host signs out': async (app) => {
    const reader = await readerOf(app);
    return { holder: byKey(app, reader), end: () => signOutOnHost(app, reader) };
  },
  'a session that is signed out': async (app) => {
    const holder = await byCookie(app, await readerOf(app));
    return { holder, end: () => done(holder.call('DELETE', `/v1/sessions/${holder.id}`)) };
  },
  'a session after a change of the password in another': async (app) => {
    const reader = await readerOf(app);
    const currentPassword = 'a long and good password';
    const password_hash = await hashPassword(currentPassword);
    await app.people.records.transact((tx) =>
      tx.updateTable('users').set({ password_hash }).where('id', '=', reader.userId).execute(),
    );
    const other = await byCookie(app, reader);
    const body = { currentPassword, password: 'another long and good password' };
    const end = () => done(other.call('PUT', '/v1/user/password', { body }));
    return { holder: await byCookie(app, reader), end };
  },
  'a session of a user who leaves the account': async (app) => {
    const reader = await readerOf(app);
    return { holder: await byCookie(app, reader), end: () => remove(app, reader), keepsPicture: true };
  },
  'a session of a user whom the host signs out': async (app) => {
    const reader = await readerOf(app);
    return { holder: await byCookie(app, reader), end: () => signOutOnHost(app, reader) };
  },
  'a token whose consent is withdrawn': async (app) => {
    const { flow, tokens, holder } = await byToken(app, await readerOf(app));
    const form = { client_id: flow.client.id, token: tokens.refresh_token };
    return { holder, end: () => done(postForm(app, '/v1/oauth/revoke', form)) };
  },
  'a token that was refreshed before its consent is withdrawn': async (app) => {
    const { flow, tokens, holder } = await byToken(app, await readerOf(app));
    const refreshed = (await flow.refresh(tokens.refresh_token)).body;
    const form = { client_id: flow.client.id, token: refreshed.access_token };
    return { holder, end: () => done(postForm(app, '/v1/oauth/revoke', form)) };
  },
  'a token whose application is deleted': async (app) => {
    const { flow, holder } = await byToken(app, await readerOf(app));
    return { holder, end: () => done(app.call('DELETE', `/v1/clients/${flow.client.id}`)) };
  },
  'a token of a sign-in that ends': async (app) => {
    const { flow, holder } = await byToken(app, await readerOf(app));
    const browser = await withCookie(app, holder.userId, flow.cookie);
    return { holder, end: () => done(browser.call('DELETE', `/v1/sessions/${browser.id}`)) };
  },
  'a token of a user whom the host signs out': async (app) => {
    const reader = await readerOf(app);
    return { holder: (await byToken(app, reader)).holder, end: () => signOutOnHost(app, reader) };
  },
};

/** Makes a member of the account who has a picture. */
export async function readerOf(app: TestApp): Promise<Person> {
  const reader = await app.people.member(app.account, ['readData', 'createData', 'updateData']);
  await done(byKey(app, reader).call('PUT', `/v1/users/${reader.userId}/picture`, image));
  return reader;
}

async function done(asked: Promise<Reply>): Promise<void> {
  const { status, text } = await asked;
  assert.ok(status < 300, `${status} ${text}`);
}

/** Returns the holder of a key, with the id of the key. */
export function byKey(app: TestApp, { userId, key }: Person): Holder & { id: string } {
  const { jti } = JSON.parse(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString());
  return { userId, id: jti, call: (method, path, options) => app.call(method, path, { key, ...options }) };
}

/** Makes a further key of the first user, which can be revoked. */
export async function keyOf(app: TestApp): Promise<Holder & { end(): Promise<void> }> {
  const userId = (await app.call('GET', '/v1/user')).body.id;
  const made = await app.call('POST', '/v1/api-keys', { body: { name: 'Ends', expireInDays: 1 } });
  const holder = byKey(app, { userId, key: made.body.key, account: app.account });
  return { ...holder, end: () => done(app.call('DELETE', `/v1/api-keys/${holder.id}`)) };
}

/** Signs a user in with a browser. Returns the holder of its cookie, with the id of the session. */
export async function byCookie(app: TestApp, { userId }: Person): Promise<Holder & { id: string }> {
  return withCookie(app, userId, await signedIn(app, userId));
}

async function withCookie(app: TestApp, userId: string, cookie: string): Promise<Holder & { id: string }> {
  const call = (method: string, path: string, options: CallOptions = {}) =>
    app.call(method, path, {
      ...options,
      key: undefined,
      headers: { cookie, origin: app.address, ...options.headers },
    });
  const { items } = (await call('GET', '/v1/sessions')).body;
  const { id } = items.find(({ current }: { current: boolean }) => current);
  return { userId, id, call };
}

/** Lets a user sign in to an application. Returns the holder of its access token. */
export async function byToken(app: TestApp, { userId }: Person) {
  const flow = new TokenFlow(app, userId, await signedIn(app, userId), await makeClient(app));
  const tokens = await flow.signIn();
  const key = `Bearer ${tokens.access_token}`;
  const call: Holder['call'] = (method, path, options) => app.call(method, path, { key, ...options });
  return { flow, tokens, holder: { userId, call } };
}

/** Removes a user from all groups of the account. */
async function remove(app: TestApp, { userId, account }: Person): Promise<void> {
  const rows = app.people.records.read.selectFrom('group_members').select('group_id');
  for (const { group_id } of await rows
    .where('user_id', '=', userId)
    .where('account_id', '=', account)
    .execute())
    await done(app.call('DELETE', `/v1/account/groups/${group_id}/members/${userId}`));
}

/** `ploidy admin users sign-out`. */
async function signOutOnHost({ app: { core } }: TestApp, { userId }: Person): Promise<void> {
  const { records, audit } = core;
  const sessions = new Sessions(records, { lifeMs: minuteMs, idleMs: minuteMs });
  await signOut({ records, audit, sessions, grants: new Grants(records, minuteMs) }, userId);
}
