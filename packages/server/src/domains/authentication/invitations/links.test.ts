import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { interposed } from '../../../../../../test/support/interposed.ts';
import { partOf } from '../../../../../../test/support/mail-server.ts';
import { newId } from '../../../base/ids.ts';
import { Audit } from '../../audit/index.ts';
import { Guests } from './guests.fixture.ts';
import { Invitations } from './invitations.ts';
import { InvitationLinks } from './links.ts';
import type { InvitationMails } from './mails.ts';

const someone = () => `${newId()}@example.org`;
const password = 'correct horse battery';
const accept = { answer: 'accept', password, repeated: password };

describeApp('links of invitations', (app) => {
  const guests = new Guests(app);
  let group: string;
  before(async () => {
    group = await guests.group();
  });

  const userOf = (email: string) =>
    app.people.records.read.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
  const statusOf = async (id: string) => (await app.call('GET', `/v1/invitations/${id}`)).body.status;

  // asvs: 3.5.3
  test('opening a link any number of times, by any method, changes nothing', async () => {
    const email = someone();
    const { id } = (await guests.invite(email)).body;
    const link = await guests.link(id);
    for (const method of ['GET', 'HEAD', 'GET']) assert.equal((await fetch(link, { method })).status, 200);
    assert.equal(await statusOf(id), 'AWAITING');
    assert.equal(await userOf(email), undefined);
    assert.equal((await guests.submit(link, { answer: 'reject' })).status, 200);
  });

  test('a person without a user chooses a password, becomes a user and joins, in one step and once', async () => {
    const email = someone();
    const { id } = (await guests.invite(email)).body;
    const link = await guests.link(id);
    const page = await (await fetch(link)).text();
    assert.match(page, /type="password"/);
    assert.doesNotMatch(page, /<script/);
    for (const wrong of [
      { password: 'short', repeated: 'short' },
      { repeated: 'something else' },
      { password: '' },
    ]) {
      const { status, html } = await guests.submit(link, { ...accept, ...wrong });
      assert.equal(status, 400);
      assert.match(html, /role="alert"/);
    }
    assert.equal(await userOf(email), undefined);
    const tries = await Promise.all(Array.from({ length: 5 }, () => guests.submit(link, accept)));
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
    const user = await userOf(email);
    assert.match(user?.password_hash ?? '', /^\$argon2id\$/);
    assert.equal(await guests.isMember(email, group), true);
    assert.equal(await statusOf(id), 'ACCEPTED');
    const key = await app.people.key(user?.id ?? '', 'main');
    assert.equal((await app.call('GET', '/v1/projects', { key, account: 'main' })).status, 200);
    const used = await fetch(link);
    assert.equal(used.status, 409);
    assert.match(await used.text(), /already accepted/);
  });

  test('a person with a user accepts without a password, and keeps the existing one', async () => {
    const guest = await guests.guest();
    const { id } = (await guests.invite(guest.email)).body;
    const link = await guests.link(id);
    assert.doesNotMatch(await (await fetch(link)).text(), /type="password"/);
    assert.equal((await guests.submit(link, accept)).status, 200);
    assert.equal((await userOf(guest.email))?.password_hash, null);
    assert.equal(await guests.isMember(guest.email, group), true);
  });

  test('a rejected invitation creates no user', async () => {
    const email = someone();
    const { id } = (await guests.invite(email)).body;
    const link = await guests.link(id);
    assert.equal((await guests.submit(link, { answer: 'reject' })).status, 200);
    assert.equal(await statusOf(id), 'REJECTED');
    assert.equal(await userOf(email), undefined);
    assert.equal((await guests.submit(link, accept)).status, 409);
  });

  test('two concurrent acceptances by one new person create one user', async () => {
    const email = someone();
    const other = await guests.group('Subjects');
    const links = await Promise.all(
      [group, other].map(async (one) => guests.link((await guests.invite(email, one)).body.id)),
    );
    const replies = await Promise.all(links.map((link) => guests.submit(link, accept)));
    assert.ok(replies.some(({ status }) => status === 200));
    const hash = (await userOf(email))?.password_hash;
    for (const [at, link] of links.entries()) {
      if (replies[at]?.status === 200) continue;
      assert.equal((await guests.submit(link, { ...accept, password: `${password}2` })).status, 200);
    }
    assert.equal((await userOf(email))?.password_hash, hash, 'the first password stays');
    for (const one of [group, other]) assert.equal(await guests.isMember(email, one), true);
  });

  test('a password chosen while the address gets a user is refused with an explanation, and the link still works', async () => {
    const email = someone();
    const { id } = (await guests.invite(email)).body;
    const link = await guests.link(id);
    const appear = async () => void (await app.people.link(email));
    const records = interposed(app.people.records, 'before', 'transact', appear);
    const mails = {} as InvitationMails;
    const invitations = new Invitations({ records, audit: new Audit(records), mails, lifeMs: 1 });
    const token = new URL(link).searchParams.get('token') ?? '';
    const answer = new InvitationLinks(records, invitations).answer(token, {
      accept: true,
      password,
      requestId: 'r',
    });
    await assert.rejects(answer, { status: 409, code: 'USER_EXISTS' });
    assert.deepEqual([await statusOf(id), (await userOf(email))?.password_hash], ['AWAITING', null]);
    assert.doesNotMatch(await (await fetch(link)).text(), /type="password"/);
    assert.equal((await guests.submit(link, { answer: 'accept' })).status, 200);
    assert.equal(await statusOf(id), 'ACCEPTED');
  });

  test('a link that was revoked, replaced or invalid is explained, without its token', async () => {
    const { id } = (await guests.invite(someone())).body;
    const first = await guests.link(id);
    assert.equal((await app.call('POST', `/v1/invitations/${id}/resend`)).status, 200);
    const second = await guests.link(id, 2);
    assert.notEqual(first, second);
    const old = await fetch(first);
    assert.equal(old.status, 409);
    assert.match(await old.text(), /replaced by a newer one/);
    assert.equal((await guests.submit(first, accept)).status, 409);
    assert.equal((await fetch(second)).status, 200);
    await guests.change(id, 'REVOKED');
    const revoked = await fetch(second);
    assert.equal(revoked.status, 409);
    assert.match(await revoked.text(), /revoked/);
    assert.equal((await guests.submit(second, accept)).status, 409);
    const unknown = `${second.slice(0, -4)}"><x`;
    const reply = await guests.submit(unknown, accept);
    assert.equal(reply.status, 403);
    assert.doesNotMatch(reply.html, /<x/);
  });

  test('a token works for its purpose only', async () => {
    const { token } = await app.people.link(someone());
    const invitation = `${app.address}/v1/set-up/invitation?token=${token}`;
    assert.equal((await fetch(invitation)).status, 403);
    assert.equal((await guests.submit(invitation, accept)).status, 403);
    const { id } = (await guests.invite(someone())).body;
    const link = new URL(await guests.link(id));
    assert.equal((await fetch(`${app.address}/v1/set-up/password${link.search}`)).status, 403);
    assert.equal(
      (await guests.submit(`${app.address}/v1/set-up/password${link.search}`, accept)).status,
      403,
    );
  });

  test('the records hold neither a token nor, without the master key, the means to make one', async () => {
    const { id } = (await guests.invite(someone())).body;
    const token = new URL(await guests.link(id)).searchParams.get('token') ?? '';
    const { read } = app.people.records;
    const tables = [
      'invitations',
      'invitation_mails',
      'one_time_tokens',
      'jobs',
      'audit_events',
      'changes',
    ] as const;
    for (const table of tables) {
      const rows = await read.selectFrom(table).selectAll().execute();
      assert.ok(!JSON.stringify(rows).includes(token), table);
    }
  });

  test('names in a mail and on its page are plain text on one line, without links', async () => {
    const name = 'Bank\u2028of <b>you</b> https://evil.example/x www.evil.example '.padEnd(200, 'x');
    const owner = await guests.guest();
    const renamed = await app.call('PATCH', `/v1/accounts/${owner.account}`, {
      key: owner.key,
      body: { name },
    });
    assert.equal(renamed.status, 200, renamed.text);
    const body = { group: await guests.group('Users', owner), email: someone() };
    const { id } = (await app.call('POST', '/v1/invitations', { key: owner.key, body })).body;
    const link = await guests.link(id);
    const raw = readFileSync(join(app.folder, 'outbox', `${id}.1.eml`), 'utf8');
    assert.doesNotMatch(raw, /https:\/\/evil|www\.evil/);
    assert.doesNotMatch(partOf(raw, 'text/html'), /<b>/);
    const page = await (await fetch(link)).text();
    assert.doesNotMatch(page, /<b>/);
  });
});
